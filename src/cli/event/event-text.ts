import { printableLine } from '../terminal/printable.ts';

/** The subject of an event in words, from its data object: whatever a server may put there. */
export function describeEvent(data: unknown): string {
  if (!isObject(data)) return '';
  // Form B holds its fields without a subject around them. What somebody put beside a subject follows it.
  const [first] = Object.entries(data);
  const [noun, subject] = first && isObject(first[1]) ? [first[0], first[1]] : ['', data];
  return printableLine(subjectWords(noun, subject)).slice(0, longest);
}

/** Characters. */
const longest = 200;

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function subjectWords(noun: string, subject: Fields): string {
  const text = (name: string): string | undefined => {
    const value = Object.hasOwn(subject, name) ? subject[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
  if (noun === 'scan') {
    const counts = [
      counted(text('resources_scanned'), 'resources'),
      counted(text('violations_found'), 'violations'),
    ];
    return joinWords(': ', text('name') ?? text('id'), joinWords(', ', text('status'), ...counts));
  }
  if (noun === 'exemption') {
    const until = text('expires');
    return joinWords(
      ': ',
      text('policy') ?? text('id'),
      joinWords(', ', text('action'), textList(subject.resources), until && `until ${until}`),
    );
  }
  const isScore = noun === '' && text('current_score') !== undefined;
  if (noun === 'compliance' || isScore) {
    return joinWords(
      ': ',
      text('framework'),
      joinWords(
        ', ',
        change(text('previous_status'), text('status')),
        change(text('previous_score'), text('current_score')),
      ),
    );
  }
  const policy = text('policy_name') ?? text('policy');
  const resource = text('resource_id') ?? text('resource');
  if (policy !== undefined && resource !== undefined) {
    const grade = text('severity')?.toUpperCase();
    return joinWords(': ', joinWords(' ', grade, resource), policy, text('message'));
  }
  const isOfCost = text('anomaly_id') !== undefined || text('budget_id') !== undefined;
  const message = isOfCost ? text('message') : undefined;
  if (message !== undefined) return message;
  return (
    joinWords(' ', text('type'), text('name') ?? text('framework') ?? text('id')) ||
    JSON.stringify(subject).slice(0, longest)
  );
}

const joinWords = (between: string, ...words: readonly (string | undefined)[]): string =>
  words.filter((word) => word !== undefined && word !== '').join(between);

/** The first of them, and how many more there are. */
function textList(values: unknown): string | undefined {
  if (!Array.isArray(values) || typeof values[0] !== 'string') return undefined;
  return values.length === 1 ? values[0] : `${values[0]} + ${values.length - 1}`;
}

const counted = (amount: string | undefined, what: string): string | undefined =>
  amount === undefined ? undefined : `${amount} ${what}`;

const change = (before: string | undefined, after: string | undefined): string | undefined =>
  after === undefined ? undefined : before === undefined ? after : `${before} → ${after}`;
