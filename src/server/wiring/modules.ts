import { anomaliesModule } from '../anomalies/module.ts';
import { auditModule } from '../audit/module.ts';
import { authModule } from '../auth/module.ts';
import { budgetsModule } from '../budgets/module.ts';
import { complianceModule } from '../compliance/module.ts';
import { costModule } from '../cost/module.ts';
import { costImportsModule } from '../cost-imports/module.ts';
import { evaluationModule } from '../evaluation/module.ts';
import { eventsModule } from '../events/module.ts';
import { evidenceModule } from '../evidence/module.ts';
import { exemptionsModule } from '../exemptions/module.ts';
import { httpModule } from '../http/module.ts';
import { keysModule } from '../keys/module.ts';
import { layEmptyLanes } from '../lanes/lay.ts';
import { localModule } from '../local/module.ts';
import type { Module } from '../module.ts';
import { oauthModule } from '../oauth/module.ts';
import { policiesModule } from '../policies/module.ts';
import { postureModule } from '../posture/module.ts';
import { predictionModule } from '../prediction/module.ts';
import { remediationModule } from '../remediation/module.ts';
import { reportDeliveryModule } from '../report-delivery/module.ts';
import { reportsModule } from '../reports/module.ts';
import { resourcesModule } from '../resources/module.ts';
import { rightsizingModule } from '../rightsizing/module.ts';
import { scansModule } from '../scans/module.ts';
import { schedulesModule } from '../schedules/module.ts';
import { signInModule } from '../sign-in/module.ts';
import type { Reader, Tx } from '../store/store.ts';
import { trustsModule } from '../trusts/module.ts';
import { unusedModule } from '../unused/module.ts';
import { usersModule } from '../users/module.ts';
import { violationsModule } from '../violations/module.ts';
import { webhooksModule } from '../webhooks/module.ts';

/** The modules of the service, in the order of a snapshot. */
export const modules: readonly Module[] = [
  policiesModule,
  resourcesModule,
  violationsModule,
  exemptionsModule,
  scansModule,
  evaluationModule,
  postureModule,
  predictionModule,
  remediationModule,
  complianceModule,
  evidenceModule,
  costModule,
  anomaliesModule,
  unusedModule,
  budgetsModule,
  rightsizingModule,
  costImportsModule,
  eventsModule,
  webhooksModule,
  reportsModule,
  schedulesModule,
  reportDeliveryModule,
  usersModule,
  signInModule,
  authModule,
  trustsModule,
  oauthModule,
  auditModule,
  httpModule,
  keysModule,
  localModule,
];

/** Every collection of the service, for the store. */
export const collections = modules.flatMap((module) => module.collections.map(({ spec }) => spec));

/** The collections of what users have. */
export const belongings = modules.flatMap((module) =>
  module.collections.filter((collection) => 'belongs' in collection),
);

/** Every family of lanes. */
export const lanes = modules.flatMap((module) => module.lanes ?? []).map(({ spec }) => spec);

/** Fills the lanes that an earlier version left empty, and derives what it did not store. */
export async function completeStore(tx: Tx): Promise<void> {
  await layEmptyLanes(
    tx,
    modules.flatMap((module) => module.lanes ?? []),
    modules.flatMap((module) => module.collections),
  );
  for (const { derive } of modules) await derive?.(tx);
}

/** Whether any stored secret requires the current secret key. */
export async function isKeyNeeded(store: Reader): Promise<boolean> {
  for (const { needsKey } of modules) if (await needsKey?.(store)) return true;
  return false;
}
