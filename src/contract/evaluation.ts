import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { Finding } from './findings.ts';
import { PolicyInput } from './policies.ts';
import { GivenResource, maxResourcesPerRequest } from './resources.ts';
import { FindingCounts } from './scans.ts';

/** Policies times the resources of their types that one request may ask for. */
export const maxEvaluationsPerRequest = 100_000;

const ValidateInput = z.strictObject({
  resources: z.array(GivenResource).min(1).max(maxResourcesPerRequest),
  /** Of the service. Neither these nor `policies`: every enabled one of the service. */
  policy_ids: z.array(z.string().min(1).max(256)).max(500).optional(),
  /** Given here, whether or not the service has them. */
  policies: z.array(PolicyInput).max(500).optional(),
  /** `failures` leaves out of the results what passes or is skipped. */
  mode: z.enum(['all', 'failures']).default('all'),
});
export type ValidateInput = z.infer<typeof ValidateInput>;

export const ValidateAnswer = z.looseObject({ summary: FindingCounts, results: z.array(Finding) });
export type ValidateAnswer = z.infer<typeof ValidateAnswer>;

export const validatePolicies = endpoint({
  method: 'POST',
  path: '/v1/policies/validate',
  summary: 'Evaluate policies on the given resources; nothing is stored',
  scope: 'governance:read',
  body: ValidateInput,
  manyIn: ['resources', 'policies'],
  response: { status: 200, body: ValidateAnswer },
  errors: ['policy_not_found', 'policy_condition_invalid'],
});
