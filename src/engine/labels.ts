/** What a policy is mapped to in one framework: `SOC2:CC6.1` names a control, `SOC2` none. */
export interface Mapping {
  readonly framework: string;
  readonly controls: readonly string[];
}

/** Of stored policies, whose labels never change: a scan asks for them at every finding. */
const known = new WeakMap<readonly string[], readonly Mapping[]>();

/** The labels of a policy by framework, both in the order given. A label without a name before its colon is one name. */
export function readLabels(labels: readonly string[]): readonly Mapping[] {
  let mappings = known.get(labels);
  if (!mappings) known.set(labels, (mappings = groupLabels(labels)));
  return mappings;
}

function groupLabels(labels: readonly string[]): readonly Mapping[] {
  const found = new Map<string, string[]>();
  for (const label of labels) {
    const colon = label.indexOf(':');
    const framework = colon > 0 ? label.slice(0, colon) : label;
    const control = colon > 0 ? label.slice(colon + 1) : '';
    const controls = found.get(framework) ?? [];
    found.set(framework, controls);
    if (control !== '' && !controls.includes(control)) controls.push(control);
  }
  return [...found].map(([framework, controls]) => ({ framework, controls }));
}
