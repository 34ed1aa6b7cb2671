import { defined } from '../../contract/defined.ts';
import type { ReportType } from '../../contract/reports.ts';
import type { ReportModel } from '../model.ts';
import { audit } from './audit.ts';
import { compliance } from './compliance.ts';
import type { Content, Wants } from './content.ts';
import type { Facts } from './facts.ts';
import { labelOf } from './framework.ts';
import { noticesOf } from './notices.ts';
import type { ContentOrder } from './order.ts';
import { remediation } from './remediation.ts';
import { risk } from './risk.ts';
import { summaryOf } from './score.ts';
import { aboutOf, introduced, periodOf } from './shared.ts';
import { trend } from './trend.ts';

const contents: Readonly<Record<ReportType, Content>> = {
  compliance,
  audit,
  risk,
  trend,
  remediation,
};

/** The facts that a report needs. */
export const wantsOf = (order: ContentOrder): Wants =>
  contents[order.type].wants({
    details: order.include_detailed_findings,
    cost: order.include_cost === true,
  });

/** Makes the model of a report. Pure: the same facts make the same report. */
export function composeModel(facts: Facts, generator: string): ReportModel {
  const { order, scope } = facts;
  const { sections, mainTable } = contents[order.type];
  return {
    head: {
      id: order.id,
      name: order.name,
      type: order.type,
      ...(scope.framework ? { framework: labelOf(scope.framework) } : {}),
      ...defined({ description: order.description }),
      generated_at: new Date(order.at).toISOString(),
      ...defined({
        timezone: order.scope.timezone,
        organization: order.organization,
        prepared_for: order.prepared_for,
        prepared_by: order.prepared_by,
      }),
      generated_by: order.generated_by,
      about: aboutOf(facts),
      period: periodOf(facts),
      notices: noticesOf(facts),
      generator,
      summary: summaryOf(facts),
      mainTable: order.include_detailed_findings ? mainTable.detailed : mainTable.brief,
    },
    sections: introduced(facts, sections(facts)),
  };
}
