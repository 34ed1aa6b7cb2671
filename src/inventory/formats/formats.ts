/** How messages, headings and help name a format. */
interface FormatWords {
  /** An input in messages: `a CloudFormation template`. */
  readonly title: string;
  /** The format in headings. */
  readonly heading: string;
  /** The files in help, or the product they are exported from. */
  readonly files: string | { readonly exportOf: string };
  /** The key in a test's `input` for a file of this format. */
  readonly testKey?: string;
}

/**
 * The input formats. Separate from their readers (readers.ts), because the command line needs only the names at every
 * start.
 */
export const formatWords = {
  native: {
    title: 'resources in the native format',
    heading: 'native',
    files: 'resources in the native format',
  },
  cloudformation: {
    title: 'a CloudFormation template',
    heading: 'CloudFormation',
    files: 'CloudFormation templates',
    testKey: 'cloudformation',
  },
  terraform: {
    title: 'a Terraform plan or state',
    heading: 'Terraform',
    files: 'Terraform plans and state',
    testKey: 'terraform',
  },
  'aws-config': {
    title: 'AWS Config configuration items',
    heading: 'AWS Config',
    files: { exportOf: 'AWS Config' },
    testKey: 'aws_config',
  },
  'gcp-assets': {
    title: 'Google Cloud assets',
    heading: 'Google Cloud assets',
    files: { exportOf: 'Google Cloud Asset Inventory' },
    testKey: 'gcp_assets',
  },
  azure: {
    title: 'an Azure Resource Manager template or list of resources',
    heading: 'Azure Resource Manager',
    files: { exportOf: 'Azure' },
    testKey: 'azure_resources',
  },
} as const satisfies Readonly<Record<string, FormatWords>>;

export type Format = keyof typeof formatWords;
export const formats = Object.keys(formatWords) as Format[];

/** `native` has none: a test case lists its resources itself. */
export type TestKey = Extract<
  (typeof formatWords)[Format],
  { readonly testKey: string }
>['testKey'];

/** The format for each key of a test's `input`. */
export const formatOfTestKey = Object.fromEntries(
  formats.flatMap((format) => {
    const words: FormatWords = formatWords[format];
    return words.testKey === undefined ? [] : [[words.testKey, format]];
  }),
) as Readonly<Record<TestKey, Format>>; // each test key is unique

/** All input files, for help: templates, plans, exports, and native resources. */
export function describeInputs(): string {
  const files: string[] = [];
  const exportsOf: string[] = [];
  for (const format of formats) {
    const words: FormatWords = formatWords[format];
    if (typeof words.files === 'object') exportsOf.push(words.files.exportOf);
    else if (format !== 'native') files.push(words.files);
  }
  const last = exportsOf.pop() ?? '';
  return [
    ...files,
    `${exportsOf.join(', ')} and ${last} exports`,
    `and ${formatWords.native.files}`,
  ].join(', ');
}
