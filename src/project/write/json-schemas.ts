import * as z from 'zod';
import { ProjectFile } from '../config.ts';
import { BudgetDocument } from '../documents/budget.ts';
import { ExemptionDocument } from '../documents/exemption.ts';
import { FrameworkDocument } from '../documents/framework.ts';
import { PolicyDocument } from '../documents/policy.ts';
import { PolicyTestDocument } from '../documents/policy-test.ts';
import { ScheduleDocument } from '../documents/schedule.ts';
import { WebhookDocument } from '../documents/webhook.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const documents = {
  Policy: PolicyDocument,
  Schedule: ScheduleDocument,
  Webhook: WebhookDocument,
  Exemption: ExemptionDocument,
  Framework: FrameworkDocument,
  Budget: BudgetDocument,
  PolicyTest: PolicyTestDocument,
} as const;

/** What `govctl schema` can print: a kind of document, any policy file, or govctl.yaml. */
export const schemaNames = [...Object.keys(documents), 'policies', 'govctl'] as const;

/** File names under which editors look for them. */
export const schemaFiles = {
  policies: 'govctl-policies.schema.json',
  govctl: 'govctl-config.schema.json',
} as const;

/** The JSON Schema (draft 7, which every YAML editor knows) of what is called `name`; undefined for no known name. */
export function jsonSchemaOf(name: string): JsonSchema | undefined {
  const title = { $schema: 'http://json-schema.org/draft-07/schema#', title: `govctl: ${name}` };
  if (name === 'govctl') return { ...title, ...draft7(ProjectFile) };
  if (name === 'policies') return { ...title, ...policyFileSchema() };
  const [, schema] = Object.entries(documents).find(([kind]) => kind === name) ?? [];
  return schema && { ...title, ...draft7(schema) };
}

function draft7(schema: z.ZodType): JsonSchema {
  // As written in a file: what has a default may be left out.
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
}

/** One document or a list of them; `kind` says which fields go. Without it cases make a test, all else is a policy. */
function policyFileSchema(): JsonSchema {
  const definitions = Object.fromEntries(
    Object.entries(documents).map(([kind, schema]) => [
      kind,
      { ...draft7(schema), $schema: undefined },
    ]),
  );
  const reference = (kind: string) => ({ $ref: `#/definitions/${kind}` });
  const byKind = Object.keys(documents).reduceRight<JsonSchema>(
    (otherwise, kind) => {
      if (kind === 'Policy') return otherwise;
      const isKind = { properties: { kind: { const: kind } }, required: ['kind'] };
      return { if: isKind, then: reference(kind), else: otherwise };
    },
    { if: { required: ['cases'] }, then: reference('PolicyTest'), else: reference('Policy') },
  );
  return {
    definitions: {
      ...definitions,
      document: {
        type: 'object',
        properties: { kind: { enum: Object.keys(documents) } },
        ...byKind,
      },
    },
    if: { type: 'array' },
    then: { type: 'array', items: reference('document') },
    else: reference('document'),
  };
}
