import { describe, expect, it } from 'vitest';
import { eventTypes, isFormB } from '../../src/contract/events.ts';
import type { EventType } from '../../src/contract/events.ts';
import { facetNamesOf } from '../../src/server/events/facets.ts';
import type { Facet } from '../../src/server/events/facets.ts';
import { defaultRetention } from '../../src/server/config/retention.ts';
import { mostKept } from '../../src/server/events/retention.ts';
import { sampleData } from '../../src/server/events/samples.ts';
import { envelopeOf } from '../../src/server/events/service.ts';

/** When an event of each type comes, and what its data hold beyond what their names say. */
const when: Record<EventType, string> = {
  'policy.violation.created':
    'A violation becomes OPEN: it is new, it is found again after it was resolved, or its exemption has ended. A violation that is EXEMPT from the start causes no event until then. `violation` excludes its rules and history.',
  'policy.violation.resolved':
    'A violation becomes RESOLVED (by an evaluation, manually, or because the policy or the resource was deleted) or EXEMPT; see `violation.status`. A violation with a `created` event and no later `resolved` event is OPEN.',
  'policy.violation.detected':
    'A short form of each `policy.violation.created`, directly after it. `severity` is in lower case, `policy` is the name.',
  'policy.deployment.completed':
    'A policy that was created, changed or enabled has been evaluated over the inventory. `policy.evaluation` counts the results. Not sent for changes that do not affect verdicts (description, remediation), or for the hourly evaluation of policies that read `now`.',
  'policy.enforcement.failed':
    'A remediation failed. `policy.enforcement` contains the remediation and the reason.',
  'policy.quarantined':
    'A policy is no longer evaluated because evaluating it is too expensive. `policy.quarantined` contains the reason; the policy is evaluated again when it changes.',
  'compliance.status.changed':
    'A scan of the whole inventory (without `resource_types` and `policy_ids`) found a different status of a framework in an account than the previous such scan; `account_id` is absent for resources without an account. NON_COMPLIANT: a score under 90, an open CRITICAL violation, or a HIGH or CRITICAL evaluation with an error. A control is FAILED when a policy mapped to it has an open violation. The first assessment sends no event. Names of controls are as in the labels of policies.',
  'compliance.score.changed':
    'The same scan found a score that differs by at least a point from the score in the previous event; `previous_score` is that score.',
  'compliance.report.generated':
    'A report is completed, and can be downloaded. `report` is as in lists. Not sent for failed reports.',
  'compliance.audit.started':
    'Generation of an audit report started. Not sent again if it was interrupted and restarts.',
  'compliance.framework.updated':
    'A policy was created, changed or deleted, which maps it to other labels of a framework (`mapped`) or removes it from them (`unmapped`). One event per framework; `controls` lists the added or removed controls, and is empty if the label contains none.',
  'scan.completed': 'A scan has ended. `scan` is as in responses, without its errors.',
  'scan.failed': 'A scan failed.',
  'resource.discovered':
    'A resource was added to the inventory. `resource` is as in responses; over 8,192 characters, it excludes attributes, tags and properties, and includes `_meta.shortened`.',
  'resource.changed': 'A resource was replaced with different data. Identical data sends no event.',
  'user.login': 'A token was issued to a person who logged in.',
  'user.policy.exemption':
    'An exemption was `created`, `changed` or `ended`; see `exemption.action`. An exemption ends when it is deleted, or when it expires (see `status`).',
  'user.role.changed': 'The scopes of a principal were changed.',
  'api.key.created':
    'An API key was created, including the key of the data directory, even if another key is passed at startup. Never contains the key itself.',
  'api.key.expiring': 'An API key expires within 14 days. Sent once for each expiry date of a key.',
  'audit.head':
    'Sent hourly if the audit log has grown: the hash of its newest entry, signed. Store it elsewhere: `govctl audit verify --head SEQUENCE:HASH` detects whether a log was truncated or rewritten since.',
  'webhook.events.dropped':
    'Queued events of a webhook are not delivered: more than 100,000 were queued, or they are older than the retention of events. Sent once, until a delivery to the webhook succeeds again; `webhook.dropped` counts the events dropped before this event, and the webhook itself counts those dropped since.',
  'cost.anomaly.detected': 'A cost differs from the expected cost.',
  'budget.threshold.exceeded': 'Spending has exceeded a threshold of a budget.',
};

/** Nothing causes these in this version. They can be asked for, made up and listened to all the same. */
const later: ReadonlySet<EventType> = new Set([
  'policy.enforcement.failed',
  'user.login',
  'user.role.changed',
  'cost.anomaly.detected',
  'budget.threshold.exceeded',
]);

const filterOf: Record<Facet, string> = {
  severity: '`severity`',
  environment: '`environments`',
  provider: '`cloud_providers`',
};

describe('the reference of events', () => {
  it('is what the code says', async () => {
    const rows = eventTypes.map((type) => {
      const filters = facetNamesOf(type).map((facet) => filterOf[facet]);
      return `| [\`${type}\`](#${type.replaceAll('.', '')}) | ${isFormB(type) ? 'B' : 'A'} | ${filters.join(', ')} | ${later.has(type) ? 'later' : ''} |`;
    });
    const sections = eventTypes.map((type) => {
      const event = {
        id: 'evt_01jnb4c2e6g8j0m2p4r6t8v0x2',
        type,
        created: '2026-03-02T10:00:00.000Z',
        sequence: 1,
        data: JSON.stringify(sampleData(type)),
      };
      const envelope = JSON.parse(envelopeOf(event, 'wh_01jnb2m3n4p5q6r7s8t9v0w1x2')) as unknown;
      const note = later.has(type) ? '\n\nThis version does not send it.' : '';
      return `## ${type}\n\n${when[type]}${note}\n\n\`\`\`json\n${JSON.stringify(envelope, null, 2)}\n\`\`\`\n`;
    });
    const text = `<!-- Generated by \`npm run docs\`; edit the code instead. -->

# Events

An event is stored in the same commit as the change that caused it, with the next number of one sequence, and is queued for every webhook that subscribes to it.
\`GET /v1/events\` lists events in that order, \`GET /v1/events/:id\` returns one event as webhooks receive it, \`POST /v1/events/replay\` queues events again.
Events are stored for ${defaultRetention.events / 86_400_000} days by default ([retention](../local-server.md#retention)), at most the newest ${mostKept.toLocaleString('en')}; up to 100,000 events queued for a webhook are stored in addition. A local server creates sample events: \`POST /v1/events\`
with a type, and with data that overrides the data shown below.

Bodies have one of two forms. A: \`{id, type, created, data}\`. B: \`{event, timestamp, webhook_id, data}\`. Ignore unknown fields.

Filters of a webhook compare fields of an event case-insensitively. A filter on a field that the type of event does not have is ignored; a filter on a field that
only this event lacks (a resource without an environment) excludes the event. Severities are those of the policy; a policy without a severity counts as MEDIUM.

| type | form | filters that apply | |
|---|---|---|---|
${rows.join('\n')}

${sections.join('\n')}`;
    await expect(text).toMatchFileSnapshot('../../docs/reference/events.md');
  });
});
