import { normaliser } from '../normaliser.ts';
import { flag, isOneOf, number, text } from '../values.ts';
import { fromGoogle } from './read-google.ts';

export const dnsZone = normaliser({
  types: ['GCP::Dns::ManagedZone'],
  source: 'Cloud DNS API v1 reference, managedZones, as of 2025-06',
  attributes: {
    visibility: {
      type: 'string',
      meaning: '`public` or `private`',
      spelling: ['public', 'private'],
      absent: 'public',
    },
    'dnssec.enabled': { type: 'bool', meaning: 'DNSSEC is on', absent: false },
  },
  arguments: {
    'dnssecConfig.state': 'dnssec_config.state',
  },
  from: fromGoogle((get) => ({
    visibility: text(get('visibility')),
    'dnssec.enabled': isOneOf(get('dnssecConfig', 'state'), 'on'),
  })),
});

export const logBucket = normaliser({
  types: ['GCP::Logging::LogBucket'],
  source: 'Cloud Logging, Routing and storage overview, as of 2025-06',
  attributes: {
    retention_days: { type: 'int', meaning: 'retentionDays', absent: 30 },
    locked: {
      type: 'bool',
      meaning: 'the log bucket is locked, so its retention period cannot be shortened',
      absent: false,
    },
  },
  arguments: {
    locked: 'locked',
    retentionDays: 'retention_days',
  },
  from: fromGoogle((get) => ({
    retention_days: number(get('retentionDays')),
    locked: flag(get('locked')),
  })),
});
