/** Type and name as an id has them: `Microsoft.Sql/servers/s/databases/d`. */
export function resourceAddress(type: string, name: string): string {
  const [namespace = '', ...types] = type.split('/');
  const names = splitName(name);
  return [namespace, ...types.flatMap((one, index) => [one, names[index] ?? ''])].join('/');
}

/** The steps of a name; a slash inside `${…}` is part of an expression. */
export function splitName(name: string): string[] {
  const steps: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < name.length; at++) {
    if (name.startsWith('${', at)) depth++;
    else if (name[at] === '}') depth = Math.max(0, depth - 1);
    else if (name[at] === '/' && depth === 0) {
      steps.push(name.slice(start, at));
      start = at + 1;
    }
  }
  return [...steps, name.slice(start)];
}
