import type { DocumentPath, DocumentProblem } from '../../model.ts';
import { field, fieldsOf, isFields, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { InstanceKey } from './address.ts';
import type { TerraformResource } from './resource.ts';

/** What a plan or a state holds, and what of it can't be read or is not all. */
export interface ReadResources {
  readonly resources: readonly TerraformResource[];
  readonly problems: readonly DocumentProblem[];
  readonly notices?: readonly DocumentProblem[];
}

/** The list of that name; what is there and is none is a problem. */
export function listOf(
  parent: unknown,
  at: DocumentPath,
  problems: DocumentProblem[],
): readonly unknown[] {
  const name = String(at.at(-1));
  const list = field(parent, name) ?? undefined;
  if (list !== undefined && !Array.isArray(list)) {
    problems.push({
      message: `${name} must be a list, so it is not checked; write the file again with \`terraform show -json\``,
      at,
    });
  }
  return itemsOf(list);
}

/** What Terraform reads, opens for a while or runs is no resource that stays. */
const otherModes: readonly unknown[] = ['data', 'ephemeral', 'list', 'action'];

export const isManaged = (entry: unknown): boolean =>
  !otherModes.includes(field(entry, 'mode') ?? 'managed');

/** Why an entry is none that Terraform writes: it would be left out without a word. */
export function whyStranger(entry: unknown): string | undefined {
  const address = textOf(field(entry, 'address'));
  if (address === undefined || textOf(field(entry, 'type')) === undefined) {
    return 'a Terraform resource needs an address and a type, so this entry is not checked; write the file again with `terraform show -json`';
  }
  const mode = field(entry, 'mode') ?? 'managed';
  return mode === 'managed' || otherModes.includes(mode)
    ? undefined
    : `${address} has the unknown mode ${JSON.stringify(mode)}, so it is not checked`;
}

interface Listed {
  readonly entry: Fields;
  readonly module: string | undefined;
  readonly at: DocumentPath;
}

/** The resources of a module and of all modules inside it, without recursion: modules may nest as deep as they like. */
export function listModuleResources(
  root: unknown,
  at: DocumentPath,
  problems: DocumentProblem[],
): Listed[] {
  const listed: Listed[] = [];
  const open: { module: unknown; at: DocumentPath }[] = [{ module: root, at }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { module, at: here } = next;
    const address = textOf(field(module, 'address'));
    const resources = [...here, 'resources'];
    listOf(module, resources, problems).forEach((entry, index) => {
      const message = whyStranger(entry);
      if (message !== undefined) problems.push({ message, at: [...resources, index] });
      else if (isManaged(entry)) {
        listed.push({ entry: fieldsOf(entry), module: address, at: [...resources, index] });
      }
    });
    const modules = [...here, 'child_modules'];
    for (const [index, child] of [...listOf(module, modules, problems).entries()].reverse())
      open.push({ module: child, at: [...modules, index] });
  }
  return listed;
}

/** `terraform show -json` of a state: all resources with their values. */
export function readStateValues(state: Fields): ReadResources {
  const problems: DocumentProblem[] = [];
  const root = field(state['values'], 'root_module');
  const resources = listModuleResources(root, ['values', 'root_module'], problems).flatMap(
    ({ entry, module, at }) => {
      const own = textOf(entry['address']) ?? '';
      // Before 0.13 a child module's addresses were its own.
      const address =
        module === undefined || own.startsWith(`${module}.`) ? own : `${module}.${own}`;
      if (!hasAny(entry['values'])) {
        problems.push({ message: withoutValues(address), at });
        return [];
      }
      return {
        address,
        module,
        type: textOf(entry['type']) ?? '',
        provider: textOf(entry['provider_name']),
        values: fieldsOf(entry['values']),
        sensitive: entry['sensitive_values'],
        at,
      };
    },
  );
  return { resources, problems };
}

/** A state file of version 4 as Terraform keeps it: resources with instances. */
export function readStateFile(state: Fields): ReadResources {
  const problems: DocumentProblem[] = [];
  const resources = listOf(state, ['resources'], problems).flatMap((resource, index) => {
    const type = textOf(field(resource, 'type'));
    const name = textOf(field(resource, 'name'));
    const at = ['resources', index];
    if (type === undefined || name === undefined) {
      problems.push({
        message:
          'a resource in a state needs a type and a name, so this entry is not checked; write the state again with `terraform state pull`',
        at,
      });
      return [];
    }
    if (!isManaged(resource)) return [];
    const module = textOf(field(resource, 'module'));
    const address = `${module === undefined ? '' : `${module}.`}${type}.${name}`;
    const instances = field(resource, 'instances');
    if (!Array.isArray(instances)) {
      problems.push({
        message: `instances of ${address} must be a list, so none are checked; write the state again with \`terraform state pull\``,
        at,
      });
    }
    return itemsOf(instances).flatMap((instance, place) => {
      if (field(instance, 'deposed') !== undefined) return [];
      if (!hasAny(field(instance, 'attributes'))) {
        problems.push({ message: withoutValues(address), at: [...at, 'instances', place] });
        return [];
      }
      return [
        {
          address: `${address}${keyText(field(instance, 'index_key'))}`,
          module,
          type,
          provider: providerName(textOf(field(resource, 'provider'))),
          values: fieldsOf(field(instance, 'attributes')),
          sensitive: sensitiveTree(field(instance, 'sensitive_attributes')),
          at: [...at, 'instances', place],
        },
      ];
    });
  });
  return { resources, problems };
}

const hasAny = (values: unknown): boolean => isFields(values) && Object.keys(values).length > 0;

/** States of Terraform 0.11 have them elsewhere. */
const withoutValues = (address: string): string =>
  `${address} has no values, so it is not checked; update the state with \`terraform apply -refresh-only\``;

const keyText = (key: unknown): string =>
  typeof key === 'string' || typeof key === 'number'
    ? `[${JSON.stringify(key satisfies InstanceKey)}]`
    : '';

/** `provider["registry.terraform.io/hashicorp/aws"].west` → `registry.terraform.io/hashicorp/aws`. */
const providerName = (text: string | undefined): string | undefined =>
  text?.includes('"') ? text.split('"')[1] : text?.replace('provider.', '');

/** Paths as steps (`[{type: 'get_attr', value: 'password'}]`) → the tree that the other formats have; lists of one step. */
function sensitiveTree(paths: unknown): Fields {
  return Object.fromEntries(
    itemsOf(paths).flatMap((path) => {
      const text = itemsOf(path)
        .map((step) => {
          const value = field(step, 'value');
          return field(step, 'type') === 'index'
            ? `[${String(field(value, 'value'))}]`
            : `.${String(value)}`;
        })
        .join('');
      return text === '' ? [] : [[text.slice(1), true] as const];
    }),
  );
}
