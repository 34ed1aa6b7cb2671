/** One module on the way to a resource: `module.network["eu"]`. Left out: not counted, or not told. */
export interface ModuleStep {
  readonly name: string;
  readonly key?: InstanceKey | undefined;
}

/** The key of one instance: from `count` a number, from `for_each` a text. */
export type InstanceKey = string | number;

/** A step of a reference: a name, or what stands in brackets. */
export type Step = { readonly name: string } | { readonly key: InstanceKey };

/** `aws_subnet.main["a.b"].id` → its names and keys. A splat (`[*]`) and what can't be read ends it. */
export function readSteps(text: string): Step[] {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === '[') {
      const [key, end] = readKey(text, at + 1);
      if (key === undefined) return steps;
      steps.push({ key });
      at = end;
    } else {
      if (text[at] === '.') at++;
      let end = at;
      while (end < text.length && text[end] !== '.' && text[end] !== '[') end++;
      if (end > at) steps.push({ name: text.slice(at, end) });
      at = Math.max(end, at + 1);
    }
  }
  return steps;
}

/** The key that starts at an offset inside brackets, and the offset after the closing one. */
function readKey(text: string, start: number): readonly [InstanceKey | undefined, number] {
  if (text[start] !== '"') {
    const end = text.indexOf(']', start);
    const digits = text.slice(start, end);
    return end > start && /^\d{1,9}$/.test(digits)
      ? [Number(digits), end + 1]
      : [undefined, text.length];
  }
  let key = '';
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return [key, at + 2];
    if (text[at] === '\\') at++;
    key += text[at] ?? '';
  }
  return [undefined, text.length];
}

/** Characters of an address or a reference. A longer one leads nowhere: what is made of it would be as long each time. */
export const longestAddress = 4_000;

/** `module.a["x"].module.b` → its steps; of one that is too long, a step to no module. */
export function readModuleAddress(text: string): ModuleStep[] {
  if (text.length > longestAddress) return [{ name: '' }];
  const modules: { name: string; key?: InstanceKey }[] = [];
  let named = false;
  for (const step of readSteps(text)) {
    const last = modules.at(-1);
    if ('key' in step) {
      if (last) last.key = step.key;
    } else if (!named) {
      named = step.name === 'module';
    } else {
      modules.push({ name: step.name });
      named = false;
    }
  }
  return modules;
}
