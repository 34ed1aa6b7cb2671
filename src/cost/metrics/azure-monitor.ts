import type { ExportOptions, ExportedPoint, KnownMetric, ReadExport } from './export.ts';
import { at, isoTime, leaveOut, listAt, periodOf, resourceOf, textAt, timeOf } from './export.ts';

/** Of `Microsoft.Compute/virtualMachines`. */
const metrics = new Map<string, KnownMetric>([
  ['Percentage CPU', { metric: 'cpu', unit: 'percent' }],
  ['Available Memory Bytes', { metric: 'memory_available', unit: 'bytes' }],
  ['Available Memory Percentage', { metric: 'memory_available', unit: 'percent' }],
]);

export function isAzureMonitor(value: unknown): boolean {
  const all = at(value, 'value');
  return (
    Array.isArray(all) && all.every((one) => Array.isArray(at(one, 'timeseries'))) && all.length > 0
  );
}

/** What `az monitor metrics list` prints. @throws ExportError */
export function readAzureMonitor(value: unknown, options: ExportOptions): ReadExport {
  const points: ExportedPoint[] = [];
  const leftOut = new Map<string, number>();
  const said = secondsOf(textAt(value, 'interval'));
  for (const [n, one] of listAt(value, 'value', 'value').entries()) {
    const name = textAt(one, 'name', 'value') ?? '';
    const known = metrics.get(name);
    for (const [s, series] of listAt(one, 'timeseries', `value[${n}]`).entries()) {
      const place = `value[${n}].timeseries[${s}]`;
      const data = listAt(series, 'data', place);
      if (!known) {
        leaveOut(leftOut, name, data.length);
        continue;
      }
      // Times at which the machine did not run have no numbers.
      const given = data.flatMap((point, index) => {
        const statistics = Object.fromEntries(
          (['minimum', 'average', 'maximum'] as const).flatMap((key) => {
            const number = at(point, key);
            return number === undefined || number === null ? [] : [[names[key], number]];
          }),
        );
        const where = `${place}.data[${index}]`;
        const time = at(point, 'timeStamp') ?? at(point, 'timestamp');
        return Object.keys(statistics).length === 0
          ? []
          : [{ statistics, ms: timeOf(time, `${where}.timeStamp`), place: where }];
      });
      if (given.length === 0) continue;
      const resource_id = resourceOf(machineOf(textAt(one, 'id')), options, `value[${n}]`);
      const period_seconds =
        options.period ?? said ?? periodOf(given.map(({ ms }) => ms), options, place); // prettier-ignore
      const { metric, unit } = known;
      for (const { statistics, ms, place: where } of given) {
        const point = { resource_id, metric, unit, at: isoTime(ms), period_seconds, statistics };
        points.push({ point, place: where });
      }
    }
  }
  return { points, leftOut };
}

const names = { minimum: 'min', average: 'average', maximum: 'max' } as const;

/** `…/virtualMachines/web/providers/Microsoft.Insights/metrics/Percentage CPU` is of `…/virtualMachines/web`. */
const machineOf = (id: string | undefined): string | undefined =>
  id?.replace(/\/providers\/microsoft\.insights\/metrics\/.*$/i, '');

/** `PT5M`, `PT1H`, `P1D`; older versions print `0:05:00`. */
function secondsOf(interval: string | undefined): number | undefined {
  const [, days, hours, minutes] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(interval ?? '') ?? []; // prettier-ignore
  const [, h, m, s] = /^(\d+):(\d\d):(\d\d)$/.exec(interval ?? '') ?? [];
  const seconds =
    Number(days ?? 0) * 86_400 +
    Number(hours ?? h ?? 0) * 3_600 +
    Number(minutes ?? m ?? 0) * 60 +
    Number(s ?? 0);
  return seconds > 0 ? seconds : undefined;
}
