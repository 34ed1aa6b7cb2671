import type { ReportType } from '../../../contract/reports.ts';
import { audit } from './audit.ts';
import { compliance } from './compliance.ts';
import type { Compose } from './compose.ts';
import type { Content } from './content.ts';
import { gather } from './gather/gather.ts';
import { labelOf } from './gather/framework.ts';
import { remediation } from './remediation.ts';
import { risk } from './risk.ts';
import { noticesOf } from './notices.ts';
import { aboutOf, introduced, periodOf } from './shared.ts';
import { summaryOf } from './score.ts';
import { trend } from './trend.ts';

const contents: Readonly<Record<ReportType, Content>> = {
  compliance,
  audit,
  risk,
  trend,
  remediation,
};

export const composeReport: Compose = async (deps, prepare, order, options) => {
  const content = contents[order.type];
  const details = order.include_detailed_findings;
  const { facts, close } = await gather(deps, prepare, order, content.wants({ details }), options);
  const { scope, scans, policies, evaluations } = facts;
  return {
    model: {
      head: {
        id: order.id,
        name: order.name,
        type: order.type,
        ...(scope.framework ? { framework: labelOf(scope.framework) } : {}),
        ...(order.description === undefined ? {} : { description: order.description }),
        generated_at: new Date(order.at).toISOString(),
        ...(order.scope.timezone === undefined ? {} : { timezone: order.scope.timezone }),
        generated_by: order.generated_by,
        about: aboutOf(facts),
        period: periodOf(facts),
        notices: noticesOf(facts),
        generator: `govctl ${deps.version}`,
        summary: summaryOf(facts),
        mainTable: details ? content.mainTable.detailed : content.mainTable.brief,
      },
      sections: introduced(facts, content.sections(facts)),
    },
    ...(scans.lastWhole ? { source_scan_id: scans.lastWhole.id } : {}),
    policies: policies.length,
    resources: evaluations.resources,
    close,
  };
};
