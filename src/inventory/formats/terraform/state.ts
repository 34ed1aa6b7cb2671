import type { DocumentPath } from '../../model.ts';
import { field, fieldsOf, isFields, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { InstanceKey } from './address.ts';
import type { TerraformResource } from './resource.ts';

interface Listed {
  readonly entry: Fields;
  readonly module: string | undefined;
  readonly at: DocumentPath;
}

/** The resources of a module and of all modules inside it, without recursion: modules may nest as deep as they like. */
export function listModuleResources(root: unknown, at: DocumentPath): Listed[] {
  const listed: Listed[] = [];
  const open: { module: unknown; at: DocumentPath }[] = [{ module: root, at }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { module, at: here } = next;
    const address = textOf(field(module, 'address'));
    itemsOf(field(module, 'resources')).forEach((entry, index) => {
      if (isFields(entry))
        listed.push({ entry, module: address, at: [...here, 'resources', index] });
    });
    const children = itemsOf(field(module, 'child_modules'));
    for (const [index, child] of [...children.entries()].reverse())
      open.push({ module: child, at: [...here, 'child_modules', index] });
  }
  return listed;
}

/** `terraform show -json` of a state: all resources with their values. */
export function readStateValues(state: Fields): TerraformResource[] {
  return listModuleResources(field(state['values'], 'root_module'), [
    'values',
    'root_module',
  ]).flatMap(({ entry, module, at }) => {
    const address = textOf(entry['address']);
    const type = textOf(entry['type']);
    if (address === undefined || type === undefined || (entry['mode'] ?? 'managed') !== 'managed')
      return [];
    return [
      {
        // Before 0.13 a child module's addresses were its own.
        address:
          module === undefined || address.startsWith(`${module}.`)
            ? address
            : `${module}.${address}`,
        module,
        type,
        provider: textOf(entry['provider_name']),
        values: fieldsOf(entry['values']),
        sensitive: entry['sensitive_values'],
        at,
      },
    ];
  });
}

/** A state file of version 4 as Terraform keeps it: resources with instances. */
export function readStateFile(state: Fields): TerraformResource[] {
  return itemsOf(state['resources']).flatMap((resource, index) => {
    const type = textOf(field(resource, 'type'));
    const name = textOf(field(resource, 'name'));
    if (field(resource, 'mode') !== 'managed' || type === undefined || name === undefined)
      return [];
    const module = textOf(field(resource, 'module'));
    return itemsOf(field(resource, 'instances')).flatMap((instance, place) => {
      if (field(instance, 'deposed') !== undefined) return [];
      const address = `${module === undefined ? '' : `${module}.`}${type}.${name}`;
      return [
        {
          address: `${address}${keyText(field(instance, 'index_key'))}`,
          module,
          type,
          provider: providerName(textOf(field(resource, 'provider'))),
          values: fieldsOf(field(instance, 'attributes')),
          sensitive: sensitiveTree(field(instance, 'sensitive_attributes')),
          at: ['resources', index, 'instances', place],
        },
      ];
    });
  });
}

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
