import { isAzureMonitor, readAzureMonitor } from './azure-monitor.ts';
import { isMetricData, isStatistics, readMetricData, readStatistics } from './cloudwatch.ts';
import { at } from './export.ts';
import type { ExportOptions, ReadExport } from './export.ts';
import { isGcpMonitoring, readGcpMonitoring } from './gcp-monitoring.ts';

interface Format {
  /** For people. */
  readonly name: string;
  readonly is: (value: unknown) => boolean;
  readonly read: (value: unknown, options: ExportOptions) => ReadExport;
}

const formats: readonly Format[] = [
  { name: 'CloudWatch statistics', is: isStatistics, read: readStatistics },
  { name: 'CloudWatch metric data', is: isMetricData, read: readMetricData },
  { name: 'Azure Monitor', is: isAzureMonitor, read: readAzureMonitor },
  { name: 'Google Cloud Monitoring', is: isGcpMonitoring, read: readGcpMonitoring },
];

/** The format of an export of metrics, by what is in it. */
export function findFormat(
  value: unknown,
): { readonly name: string; read(options: ExportOptions): ReadExport } | undefined {
  // Recorded answers of botocore have the answer beside its status.
  const given = at(value, 'status_code') === undefined ? value : at(value, 'data');
  const format = formats.find(({ is }) => is(given));
  return format && { name: format.name, read: (options) => format.read(given, options) };
}
