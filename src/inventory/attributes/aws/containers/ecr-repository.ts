import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { allParts } from '../../related.ts';
import type { Related } from '../../related.ts';
import { at, flag, isOneOf, or, some, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { readAllStatements, readStatements, requiredDocument } from '../policy-document.ts';

export const ecrRepository = normaliser({
  types: ['AWS::ECR::Repository'],
  source: 'Amazon ECR API Reference, API version 2015-09-21',
  attributes: {
    scan_on_push: {
      type: 'bool',
      meaning: 'the repository has scan on push, or the registry has enhanced scanning',
      absent: false,
    },
    immutable_tags: {
      type: 'bool',
      meaning: 'imageTagMutability is IMMUTABLE',
      absent: false,
    },
    'policy.statements': {
      type: 'list<Statement>',
      meaning: 'the repository policy',
      absent: [],
    },
  },
  arguments: {
    RepositoryPolicyText: 'policy of aws_ecr_repository_policy',
    'ImageScanningConfiguration.ScanOnPush': 'image_scanning_configuration.scan_on_push',
    ImageTagMutability: 'image_tag_mutability',
  },
  from: {
    cloudformation: (raw, related) => ofTemplate(raw, related),
    terraform: (raw, related) => ({
      scan_on_push: or(
        flag(planned(raw.properties, 'image_scanning_configuration', 'scan_on_push')),
        isScannedByRegistry(raw, related),
      ),
      immutable_tags: isOneOf(at(raw.properties, 'image_tag_mutability'), 'IMMUTABLE'),
      'policy.statements': readAllStatements(
        allParts(related, raw, 'AWS::ECR::RepositoryPolicy', repositoryOfPolicy).map(
          ({ properties }) => requiredDocument(properties.policy),
        ),
      ),
    }),
    'aws-config': (raw, related) => ofTemplate(raw, related),
  },
});

const ofTemplate = (raw: RawResource, related: Related) => ({
  scan_on_push: or(
    flag(at(raw.properties, 'ImageScanningConfiguration', 'ScanOnPush')),
    isScannedByRegistry(raw, related),
  ),
  immutable_tags: isOneOf(at(raw.properties, 'ImageTagMutability'), 'IMMUTABLE'),
  'policy.statements': readStatements(at(raw.properties, 'RepositoryPolicyText')),
});

const repositoryOfPolicy = ({ properties }: RawResource): unknown => properties.repository;

/** Enhanced scanning is a setting of the registry, with rules that pick repositories by name. */
function isScannedByRegistry(repository: RawResource, related: Related) {
  const name = text(
    at(repository.properties, 'RepositoryName') ?? at(repository.properties, 'name'),
  );
  return or(
    ...related.ofType('AWS::ECR::RegistryScanningConfiguration').map(({ properties }) => {
      const type = at(properties, 'ScanType') ?? at(properties, 'scan_type');
      if (isOneOf(type, 'ENHANCED') === false) return false;
      return some(at(properties, 'Rules') ?? at(properties, 'rule'), (rule) =>
        some(at(rule, 'RepositoryFilters') ?? at(rule, 'repository_filter'), (filter) =>
          isMatch(at(filter, 'Filter') ?? at(filter, 'filter'), name),
        ),
      );
    }),
  );
}

/** `*` stands for any text, at any place; a filter without one is the start of a name. */
function isMatch(filter: unknown, name: unknown): boolean {
  if (typeof filter !== 'string') return false;
  if (/^\*+$/.test(filter)) return true;
  if (typeof name !== 'string') return false;
  if (!filter.includes('*')) return name.startsWith(filter);
  const [first = '', ...rest] = filter.split('*');
  const last = rest.pop() ?? '';
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return from + last.length <= name.length;
}
