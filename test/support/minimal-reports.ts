import { createHash } from 'node:crypto';

/**
 * Reports of a service written from its description alone: no order, no ETag, no Range, no hash, no deleting. `extends`
 * gives it, one by one, what only ours has.
 */

interface PlainReport extends Record<string, unknown> {
  readonly id: string;
  name: string;
  type: string;
  status: string;
}

export interface ReportFaults {
  readonly extends?: readonly ('range' | 'hash' | 'delete')[];
  /** Changes are answered without a body. */
  readonly emptyAnswers?: boolean;
  /** The states that one report goes through, a look each; the last one stays. */
  readonly states?: readonly Readonly<Record<string, unknown>>[];
}

interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface MinimalReports {
  readonly reports: Map<string, PlainReport>;
  readonly requests: PlainRequest[];
  put(fields: Record<string, unknown> & { name: string }): PlainReport;
  readonly fetch: (
    url: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ) => Promise<Response>;
}

const parameters = ['limit', 'offset', 'type', 'framework', 'status'];
const known = ['name', 'type', 'scope', 'framework', 'description', 'format_options', 'delivery'];

export const contentOf = (id: string, format: string): Buffer =>
  Buffer.from(`${format} of ${id}\n`.repeat(2_000));

const json = (status: number, body?: unknown): Response =>
  new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  });
const missing = (): Response => json(404, { message: 'no such path' });

export function createMinimalReports(faults: ReportFaults = {}): MinimalReports {
  const reports = new Map<string, PlainReport>();
  const requests: PlainRequest[] = [];
  const looks = new Map<string, number>();
  const can = (what: 'range' | 'hash' | 'delete'): boolean =>
    faults.extends?.includes(what) === true;

  const put: MinimalReports['put'] = (fields) => {
    const report: PlainReport = {
      type: 'compliance',
      status: 'completed',
      formats: [{ format: 'pdf', url: 'http://service.test/elsewhere', size_mb: 0.04 }],
      ...fields,
      id: `rpt_${String(reports.size + 1).padStart(6, '0')}`,
    };
    reports.set(report.id, report);
    return report;
  };

  function list(query: URLSearchParams): Response {
    const unknown = [...query.keys()].find((name) => !parameters.includes(name));
    if (unknown !== undefined) return json(400, { message: `what is ${unknown}?` });
    const limit = Number(query.get('limit') ?? 20);
    const offset = Number(query.get('offset') ?? 0);
    const found = [...reports.values()].filter((report) =>
      ['type', 'framework', 'status'].every(
        (name) => !query.has(name) || query.get(name) === report[name],
      ),
    );
    return json(200, {
      reports: found.slice(offset, offset + limit),
      pagination: { total: found.length, limit, offset, has_more: offset + limit < found.length },
    });
  }

  function create(text: string): Response {
    const body = JSON.parse(text) as Record<string, unknown> & { name: string };
    const unknown = Object.keys(body).find((field) => !known.includes(field));
    if (unknown !== undefined) return json(400, { message: `what is ${unknown}?` });
    const report = put({ ...body, status: 'pending' });
    const { id, name, type, framework, status } = report;
    if (faults.emptyAnswers) return json(201);
    return json(201, {
      ...{ id, name, type, framework, status },
      estimated_completion: '2026-01-15T12:15:00Z',
      estimated_duration: '15m',
      queue_position: 1,
      monitoring: { progress_url: `http://service.test/v1/reports/${id}` },
    });
  }

  /** One look further. */
  function look(report: PlainReport): Response {
    const states = faults.states ?? [];
    const at = looks.get(report.id) ?? 0;
    looks.set(report.id, at + 1);
    const state = states[Math.min(at, states.length - 1)];
    return json(200, Object.assign(report, state));
  }

  function download(
    report: PlainReport,
    format: string,
    headers: PlainRequest['headers'],
  ): Response {
    if (report.status !== 'completed') return json(409, { message: 'it is not ready' });
    const given = headers['X-Service-Report-Password'];
    if (report.password !== undefined && given !== report.password) {
      const error = given === undefined ? 'report_password_required' : 'report_password_wrong';
      return json(403, { error, error_code: 'RPT_004' });
    }
    const content = contentOf(report.id, format);
    const etag = `"${report.id}-${format}"`;
    const common: Record<string, string> = {
      'content-type': 'application/octet-stream',
      ...(can('range') ? { etag, 'accept-ranges': 'bytes' } : {}),
      ...(can('hash')
        ? { 'x-content-sha256': createHash('sha256').update(content).digest('hex') }
        : {}),
    };
    const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
    if (can('range') && from !== undefined && headers['if-range'] === etag) {
      const part = content.subarray(Number(from));
      const range = `bytes ${from}-${content.length - 1}/${content.length}`;
      return new Response(new Uint8Array(part), {
        status: 206,
        headers: { ...common, 'content-range': range, 'content-length': String(part.length) },
      });
    }
    return new Response(new Uint8Array(content), {
      headers: { ...common, 'content-length': String(content.length) },
    });
  }

  const serve = async (request: PlainRequest, query: URLSearchParams): Promise<Response> => {
    const { method, path, headers, body } = request;
    if (path === '/v1/reports') return method === 'POST' ? create(body) : list(query);
    const [, id = '', rest] = /^\/v1\/reports\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    const report = reports.get(id);
    if (!report) {
      return json(404, { error: 'report_not_found', error_code: 'RPT_002', report_id: id });
    }
    if (rest === undefined && method === 'GET') return look(report);
    if (rest === undefined && method === 'DELETE' && can('delete')) {
      reports.delete(id);
      return json(204);
    }
    const [, format] = /^download\/(\w+)$/.exec(rest ?? '') ?? [];
    if (format !== undefined && method === 'GET') return download(report, format, headers);
    if (rest === 'download-link' && method === 'POST') {
      return json(200, { url: `https://s.test/files/${id}?signature=abc` });
    }
    return missing();
  };

  return {
    reports,
    requests,
    put,
    fetch: (url, { method, headers, body = '' }) => {
      const { pathname: path, searchParams } = new URL(url);
      const request = { method, path, headers, body };
      requests.push(request);
      return serve(request, searchParams);
    },
  };
}
