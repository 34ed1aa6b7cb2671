import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { catalogues } from '../../engine/frameworks/frameworks.ts';
import { titlesOf } from '../../engine/frameworks/titles.ts';
import { controlKey, frameworkKey, showControl } from '../../engine/labels.ts';

export interface KnownControl {
  readonly id: string;
  readonly title?: string;
}

/** A framework whose controls are known. */
export interface KnownFramework {
  readonly id: string;
  readonly name: string;
  readonly version?: string;
  readonly built_in: boolean;
  readonly controls: readonly KnownControl[];
}

const builtIn: readonly KnownFramework[] = catalogues.map((catalogue) => {
  const { id, name, version, controls } = catalogue;
  const titles = titlesOf(catalogue);
  return {
    id,
    name,
    version,
    built_in: true,
    controls: controls.map((one) => ({
      id: one,
      ...defined({ title: titles.get(controlKey(name, one)) }),
    })),
  };
});

/** All frameworks whose controls are known. */
export const knownFrameworks = (): readonly KnownFramework[] => builtIn;

/** @throws GovctlError framework_not_found, with the nearest one */
export function findFramework(given: string): KnownFramework {
  const key = frameworkKey(given);
  const found = knownFrameworks().find(({ id }) => frameworkKey(id) === key);
  if (found) return found;
  const ids = knownFrameworks().map(({ id }) => id);
  const nearest = nearestWord(given, ids);
  throw new GovctlError(
    'framework_not_found',
    `There is no framework ${JSON.stringify(given.slice(0, 100))}`,
    { hint: nearest === undefined ? `Use one of ${ids.join(', ')}.` : `Did you mean ${nearest}?` },
  );
}

/** @throws GovctlError control_not_found, with the nearest one */
export function findControl(framework: KnownFramework, given: string): KnownControl {
  const key = controlKey(framework.id, given);
  const found = framework.controls.find(({ id }) => controlKey(framework.id, id) === key);
  if (found) return found;
  const { id, version, controls } = framework;
  const nearest = nearestWord(
    showControl(id, given),
    controls.map((control) => control.id),
  );
  throw new GovctlError(
    'control_not_found',
    `${framework.name}${version === undefined ? '' : ` (${version})`} has no control ${JSON.stringify(given.slice(0, 100))}`,
    {
      hint:
        nearest === undefined ? `Use \`govctl framework show ${id}\` to list them.` : `Did you mean ${nearest}?`, // prettier-ignore
    },
  );
}
