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
    'A violation becomes OPEN: it is new, it is found again after it was resolved, or its exemption has ended. One that is EXEMPT from the start is not told of until then. `violation` is without its rules and its history.',
  'policy.violation.resolved':
    'A violation becomes RESOLVED, by an evaluation, by hand, or as its policy or resource is gone; or it becomes EXEMPT. `violation.status` says which. What was created and not resolved since is OPEN.',
  'policy.violation.detected':
    'With each `policy.violation.created`, right behind it: the same in short. `severity` is in lower case, `policy` is the name.',
  'policy.deployment.completed':
    'A policy that is new, was changed or enabled has been evaluated over the inventory. `policy.evaluation` counts what was found. Not for changes that change no verdict (description, remediation), nor for the hourly evaluation of policies that read `now`.',
  'policy.enforcement.failed': 'A remediation failed. `policy.enforcement` says which and why.',
  'policy.quarantined':
    'A policy is no longer evaluated, as it costs too much. `policy.quarantined` says why; it is tried again when it changes.',
  'compliance.status.changed':
    'A scan of the whole inventory (without `resource_types` and `policy_ids`) finds the status of a framework in an account to be another than at the last such scan; `account_id` is absent for resources without one. NON_COMPLIANT: a score under 90, an open CRITICAL violation, or a HIGH or CRITICAL evaluation that cannot be decided. A control is FAILED when a policy mapped to it has an open violation. The first assessment tells nothing. Names of controls are as in the labels of policies.',
  'compliance.score.changed':
    'The same scan finds a score that has moved by a point or more since it was told last; `previous_score` is that one.',
  'compliance.report.generated':
    'A report is completed, and can be downloaded. `report` is as lists show it. Not for one that failed.',
  'compliance.audit.started':
    'An audit report begins to be generated; where that was cut off and begins anew, not again.',
  'compliance.framework.updated':
    'A policy is created, changed or deleted so that it is `mapped` to other labels of a framework, or no longer (`unmapped`). One event for each framework; `controls` are those that come or go, empty where the label names none.',
  'scan.completed': 'A scan has ended. `scan` is as answered, without its undecided findings.',
  'scan.failed': 'A scan was given up.',
  'resource.discovered':
    'A resource comes into the inventory. `resource` is as answered; where that is over 8,192 characters, without its own attributes, tags and properties, and with `_meta.shortened`.',
  'resource.changed':
    'A resource is replaced by one that differs. What changes nothing tells nothing.',
  'user.login': 'A token was issued to a person who logged in.',
  'user.policy.exemption':
    'An exemption is `created` or `changed`, or has `ended`, as `exemption.action` says: deleted, or expired where `status` says so.',
  'user.role.changed': 'The scopes of a principal were changed.',
  'api.key.created':
    'An API key was made; the key of the data folder, too, also when another is given at a start. Never the key itself.',
  'api.key.expiring':
    'An API key expires within 14 days. Once for each expiry that a key is given.',
  'audit.head':
    'Once an hour, where the audit log has grown: the hash of its newest entry, signed. Keep it elsewhere: `govctl audit verify --head SEQUENCE:HASH` finds out whether a log was cut or written anew since.',
  'webhook.events.dropped':
    'Events that waited for a webhook are not delivered: more than 100,000 waited, or they are older than events are stored. Once, until a delivery to the webhook succeeds again; `webhook.dropped` counts those up to now, and the webhook itself has the number since.',
  'cost.anomaly.detected': 'A cost is not what it was expected to be.',
  'budget.threshold.exceeded': 'A budget is used up by more than a threshold.',
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
      const note = later.has(type) ? '\n\nNothing causes it in this version.' : '';
      return `## ${type}\n\n${when[type]}${note}\n\n\`\`\`json\n${JSON.stringify(envelope, null, 2)}\n\`\`\`\n`;
    });
    const text = `<!-- Generated by \`npm run docs\`; edit the code instead. -->

# Events

An event is stored in the same commit as what caused it, with the next number of one sequence, and waits in the queue of every webhook that it is for.
\`GET /v1/events\` lists events in that order, \`GET /v1/events/:id\` answers one as webhooks get it, \`POST /v1/events/replay\` queues events again.
They are kept for ${defaultRetention.events / 86_400_000} days by default ([retention](../local-server.md#retention)), of more than ${mostKept.toLocaleString('en')} the newest; up to 100,000 that wait for a webhook are kept beside these. A local server makes events up: \`POST /v1/events\`
with a type, and with data that are put into those shown below.

Bodies have one of two forms. A: \`{id, type, created, data}\`. B: \`{event, timestamp, webhook_id, data}\`. Be ready for fields beyond those shown here.

A webhook's filters look at what an event of the type has, in any case of letters. A filter on what the type does not have keeps nothing back; one on what
only this event does not have (a resource without an environment) does. Severities are those of the policy; one without counts as MEDIUM.

| type | form | filters that look at it | |
|---|---|---|---|
${rows.join('\n')}

${sections.join('\n')}`;
    await expect(text).toMatchFileSnapshot('../../docs/reference/events.md');
  });
});
