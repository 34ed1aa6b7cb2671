import type { Rightsizing } from '../../contract/rightsizing.ts';
import { showAmount } from '../../cost/amount.ts';
import type { Size } from '../../cost/rightsizing/catalog.ts';
import { headroom } from '../../cost/rightsizing/rule.ts';
import type { Fitting } from '../../cost/rightsizing/rule.ts';
import type { Measured } from '../../cost/rightsizing/series.ts';
import { timestamp } from '../deps.ts';
import { withoutAbsent } from '../without-absent.ts';
import type { Assessed } from './assess-all.ts';
import { slotTime } from './upload.ts';

/** As answered. */
export function showAssessed(assessed: Assessed): Rightsizing {
  const { id, resource, size, cpu, memory, assumedMemory, assessment, cost } = assessed;
  const { id: resource_id, type: resource_type, ...about } = resource;
  const isRecommended = assessment.kind === 'recommended';
  return withoutAbsent<Rightsizing>({
    id,
    resource_id,
    resource_type,
    ...withoutAbsent(about),
    provider: about.provider,
    status: assessment.kind,
    reason: assessment.kind === 'withheld' ? assessment.reason : undefined,
    size,
    current: assessment.current && showSize(assessment.current),
    suggested: isRecommended ? showFitting(assessment.best) : undefined,
    alternatives: isRecommended ? assessment.others.map(showFitting) : [],
    risk: isRecommended ? assessment.risk : undefined,
    currency: cost?.currency,
    cost_per_hour: cost && showAmount(cost.cost_per_hour),
    monthly_cost: cost && showAmount(cost.monthly_cost),
    monthly_saving: isRecommended && cost ? showAmount(cost.monthly_saving) : undefined,
    evidence: withoutAbsent<Rightsizing['evidence']>({
      cpu: cpu && showMeasured(cpu),
      memory: memory && showMeasured(memory),
      assumed_memory: assumedMemory,
      headroom,
      cost: cost && { amount: showAmount(cost.paid), currency: cost.currency, hours: cost.hours },
    }),
  });
}

const showSize = (size: Size) => ({
  name: size.name,
  family: size.family,
  architecture: size.architecture,
  vcpus: size.vcpus,
  memory_gib: size.memory_gib,
  relative_price: size.price,
  ...(size.baseline < 1 ? { baseline: size.baseline } : {}),
});

const showFitting = ({ size, load }: Fitting) => ({
  ...showSize(size),
  load: { cpu: rounded(load.cpu), memory: rounded(load.memory) },
});

/** Doubles have more digits than mean anything. */
const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;

const showMeasured = ({ from, to, ...rest }: Measured) => ({
  ...rest,
  from: timestamp(slotTime(from)),
  until: timestamp(slotTime(to)),
});
