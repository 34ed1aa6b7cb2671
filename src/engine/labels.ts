/** What a policy is mapped to in one framework: `SOC2:CC6.1` names a control, `SOC2` none. */
export interface Mapping {
  /** Equal for all spellings of a framework. */
  readonly key: string;
  /** As it is shown: in its usual spelling, or as a custom one is written first. */
  readonly framework: string;
  /** In their usual spelling, each once. */
  readonly controls: readonly string[];
}

/** Names that people write in several ways, by what is left of them without case, spaces, dashes and underscores. */
const spellings: Readonly<Record<string, string>> = {
  soc2: 'SOC2',
  hipaa: 'HIPAA',
  iso27001: 'ISO27001',
  isoiec27001: 'ISO27001',
  pci: 'PCI-DSS',
  pcidss: 'PCI-DSS',
  nist80053: 'NIST-800-53',
  nistsp80053: 'NIST-800-53',
};

/** How frameworks spell the IDs of their controls, by their key. */
const controlSpellings: Readonly<Record<string, (id: string) => string>> = {
  SOC2: (id) => id.toUpperCase(),
  'PCI-DSS': (id) => id.toUpperCase(),
  // A.5.15, also written without the letter of the annex.
  ISO27001: (id) => id.toUpperCase().replace(/^(?=\d+\.\d)/, 'A.'),
  // 164.308(a)(4)(ii)(C): only the fourth level is in capitals.
  HIPAA: (id) =>
    id
      .toLowerCase()
      .replace(/^§/, '')
      .replace(/^([^()]*(?:\([^()]*\)){3})(.*)$/, (_all, above: string, rest: string) =>
        above.concat(rest.toUpperCase()),
      ),
  'NIST-800-53': spellNist,
};

/** `AC-2(1)`: OSCAL writes ac-2.1, newer publications AC-02(01). */
function spellNist(id: string): string {
  const parts = /^([a-z]{2})-0*(\d+)(?:[.(]0*(\d+)\)?)?$/i.exec(id);
  if (!parts) return id.toUpperCase();
  const [, family = '', control = '', enhancement] = parts;
  return `${family.toUpperCase()}-${control}${enhancement === undefined ? '' : `(${enhancement})`}`;
}

/** A framework as it is shown: `soc2` is SOC2, `pci` PCI-DSS; a custom one stays as it is. */
function showFramework(name: string): string {
  const bare = name.toLowerCase().replaceAll(/[\s_-]/g, '');
  return Object.hasOwn(spellings, bare) ? (spellings[bare] ?? name) : name;
}

/** Thousands of labels name the same few frameworks. */
const keys = new Map<string, string>();
const keysKept = 1_000;

/** What all spellings of a framework have in common. */
export function frameworkKey(name: string): string {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const shown = showFramework(name);
  const key = Object.hasOwn(controlSpellings, shown) ? shown : shown.toLowerCase();
  if (keys.size >= keysKept) keys.clear();
  keys.set(name, key);
  return key;
}

/** A control as it is shown: `ac-2.1` of NIST 800-53 is AC-2(1); that of a custom framework stays as it is. */
export function showControl(framework: string, id: string): string {
  const key = frameworkKey(framework);
  if (!Object.hasOwn(controlSpellings, key)) return id;
  return controlSpellings[key]?.(id.replaceAll(/\s/g, '')) ?? id;
}

/** What all spellings of a framework's control have in common. */
export const controlKey = (framework: string, id: string): string =>
  showControl(framework, id).toLowerCase();

/** What all spellings of a label have in common: `PCI:3.4` and `pci-dss:3.4` have one key. */
export function labelKey(label: string): string {
  const { framework, control } = splitLabel(label);
  const key = frameworkKey(framework);
  return control === '' ? key : `${key}:${controlKey(framework, control)}`;
}

/** The two parts of a label. One without a name before its colon is one name; no control is ''. */
export function splitLabel(label: string): { framework: string; control: string } {
  const colon = label.indexOf(':');
  return colon > 0
    ? { framework: label.slice(0, colon), control: label.slice(colon + 1) }
    : { framework: label, control: '' };
}

/** The keys of the frameworks that labels name, each once. */
export const frameworkKeys = (labels: readonly string[]): readonly string[] => [
  ...new Set(labels.map((label) => frameworkKey(splitLabel(label).framework))),
];

/** Of stored policies, whose labels never change: a scan asks for them at every finding. */
const known = new WeakMap<readonly string[], readonly Mapping[]>();

/** The labels of a policy by framework, both in the order given; spellings that differ in case are one. */
export function readLabels(labels: readonly string[]): readonly Mapping[] {
  let mappings = known.get(labels);
  if (!mappings) known.set(labels, (mappings = groupLabels(labels)));
  return mappings;
}

function groupLabels(labels: readonly string[]): readonly Mapping[] {
  const found = new Map<string, { framework: string; controls: Map<string, string> }>();
  for (const label of labels) {
    const { framework, control } = splitLabel(label);
    const key = frameworkKey(framework);
    const group = found.get(key) ?? { framework: showFramework(framework), controls: new Map() };
    found.set(key, group);
    if (control === '') continue;
    const shown = showControl(framework, control);
    if (!group.controls.has(shown.toLowerCase())) group.controls.set(shown.toLowerCase(), shown);
  }
  return [...found].map(([key, { framework, controls }]) => ({
    key,
    framework,
    controls: [...controls.values()],
  }));
}
