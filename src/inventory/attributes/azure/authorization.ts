import { UnknownValue } from '../../../contract/resources.ts';
import { planned } from '../aws/plan-value.ts';
import { normaliser } from '../normaliser.ts';
import type { Related } from '../related.ts';
import { isOneOf, isUnknown, list, mapList, not, text } from '../values.ts';
import type { Maybe } from '../values.ts';
import { at } from './read-azure.ts';
import { roleNames } from './role-names.ts';

const levels = ['root', 'management_group', 'subscription', 'resource_group', 'resource'];

export const roleAssignments = normaliser({
  types: ['Azure::Authorization::roleAssignments'],
  attributes: {
    role_name: { type: 'string', meaning: "the role's display name, from its well-known ID" },
    principal_type: {
      type: 'string',
      meaning: '`User`, `Group`, `ServicePrincipal`, `ForeignGroup` or `Device`',
      spelling: ['User', 'Group', 'ServicePrincipal', 'ForeignGroup', 'Device'],
    },
    scope_level: {
      type: 'string',
      spelling: levels,
      meaning: '`root`, `management_group`, `subscription`, `resource_group` or `resource`',
    },
  },
  from: {
    azure: ({ address, properties, source }, related) => ({
      role_name: roleName(at(properties, 'roleDefinitionId'), 'roleName', related),
      principal_type:
        text(at(properties, 'principalType')) ??
        typeOfPrincipal(at(properties, 'principalId'), 'principalType'),
      scope_level: scopeLevel(at(properties, 'scope') ?? scopeOf(address, source), related),
    }),
    terraform: ({ properties }, related) => ({
      role_name:
        spelledRole(text(planned(properties, 'role_definition_name'))) ??
        roleName(planned(properties, 'role_definition_id'), 'name', related),
      principal_type:
        text(planned(properties, 'principal_type')) ??
        typeOfPrincipal(planned(properties, 'principal_id'), 'principal_type'),
      scope_level: scopeLevel(planned(properties, 'scope'), related),
    }),
  },
});

const builtInRoles = new Map([...roleNames.values()].map((name) => [name.toLowerCase(), name]));

/** Azure finds a role by its name in any case. */
const spelledRole = (name: Maybe<string>): Maybe<string> =>
  typeof name === 'string' ? (builtInRoles.get(name.toLowerCase()) ?? name) : name;

/** By its well-known id, or by the role's own definition in the same input. */
function roleName(id: unknown, attribute: string, related: Related) {
  const definition = related.find(typeof id === 'string' ? id.toLowerCase() : id);
  if (definition) return text(at(definition.properties, attribute));
  const written = isUnknown(id) ? (id.text ?? id.expression) : text(id);
  if (written === undefined || isUnknown(written)) return written;
  const guid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i.exec(written)?.[0];
  return roleNames.get(guid?.toLowerCase() ?? '') ?? new UnknownValue(written);
}

/**
 * What the principal is, by what its ID comes from: a group, a user or an application of Entra, or the managed identity of
 * a resource. An ID alone does not say it.
 * @param property what says it, in the words of the source
 */
function typeOfPrincipal(id: unknown, property: string) {
  const from = isUnknown(id) ? id.expression : '';
  const [, kind = ''] = /^(?:data\.)?azuread_(group|user|service_principal)\./.exec(from) ?? [];
  if (Object.hasOwn(typesInEntra, kind)) return typesInEntra[kind];
  const isIdentity = /^(?:(?:data\.)?azurerm_\w+\.|\[?reference\().*principal_?id\]?$/i.test(from);
  return isIdentity
    ? 'ServicePrincipal'
    : new UnknownValue(`${property}, which is not set: set it to Group, User or ServicePrincipal`);
}

const typesInEntra: Readonly<Record<string, string>> = {
  group: 'Group',
  user: 'User',
  service_principal: 'ServicePrincipal',
};

/** A resource's id ends with what it is; a template's assignment is on what it is attached to, else on its target. */
const scopeOf = (address: string, source: Readonly<Record<string, unknown>>): unknown => {
  const at = address.toLowerCase().lastIndexOf('/providers/microsoft.authorization/');
  return at > 0 ? address.slice(0, at) : source['deployment_scope'];
};

const levelOfType = new Map([
  ['Azure::Management::managementGroups', 'management_group'],
  ['Azure::Subscription::aliases', 'subscription'],
  ['Azure::Resources::resourceGroups', 'resource_group'],
]);

/** Attributes with the ID of what their resource is on. */
const levelOfAttribute = new Map([
  ['management_group_id', 'management_group'],
  ['subscription_id', 'subscription'],
  ['resource_group_id', 'resource_group'],
  ['node_resource_group_id', 'resource_group'],
]);

function scopeLevel(scope: unknown, related: Related) {
  if (isUnknown(scope)) {
    const type = related.find(scope)?.type;
    if (type === undefined) return levelOf(scope.text ?? scope.expression) ?? scope;
    const attribute = scope.attribute?.split('.').at(-1) ?? '';
    const level = levelOfAttribute.get(attribute) ?? levelOfType.get(type);
    return level ?? (type.startsWith('Azure::') && attribute !== 'scope' ? 'resource' : scope);
  }
  return typeof scope === 'string' ? (levelOf(scope) ?? 'resource') : undefined;
}

function levelOf(scope: string): string | undefined {
  if (levels.includes(scope)) return scope;
  if (scope === '/' || scope === '') return 'root';
  if (/(?:^|\/)microsoft\.management\/managementgroups\/[^/]+$/i.test(scope))
    return 'management_group';
  if (/(?:^|\/)microsoft\.resources\/resourcegroups\/[^/]+$/i.test(scope)) return 'resource_group';
  if (/^\/subscriptions\/[^/]+$/i.test(scope) || /^subscription\(\)\.id$/i.test(scope))
    return 'subscription';
  if (
    /^\/subscriptions\/[^/]+\/resourcegroups\/[^/]+$/i.test(scope) ||
    /^resourcegroup\(\)\.id$/i.test(scope)
  )
    return 'resource_group';
  const data = /^data\.azurerm_(subscription|management_group|resource_group)\.[^.]+\.id$/.exec(
    scope,
  );
  return data?.[1];
}

export const roleDefinitions = normaliser({
  types: ['Azure::Authorization::roleDefinitions'],
  source:
    'Azure Resource Manager template reference, Microsoft.Authorization/roleDefinitions, 2022-04-01',
  attributes: {
    custom: { type: 'bool', meaning: 'the role is a custom role', absent: true },
    permissions: { type: 'list', meaning: 'permission sets', absent: [] },
    'permissions[].actions': { type: 'list<string>', meaning: 'allowed operations', absent: [] },
  },
  from: {
    azure: ({ properties }) => ({
      custom: not(isOneOf(at(properties, 'type'), 'BuiltInRole')),
      permissions: permissionsOf(at(properties, 'permissions')),
    }),
    terraform: ({ properties }) => ({
      custom: true,
      permissions: permissionsOf(at(properties, 'permissions')),
    }),
  },
});

const permissionsOf = (permissions: unknown) =>
  mapList(permissions, (one) => ({ actions: list(at(one, 'actions')) }));
