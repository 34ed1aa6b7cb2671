import type { IncomingMessage, ServerResponse } from 'node:http';
import inject from 'light-my-request';

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface Bridged {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Has a handler of node:http answer a request that came in as a fetch one, without a socket.
 * @throws what the handler throws
 */
export async function throughNode(
  { method, path, headers, body }: Bridged,
  handler: NodeHandler,
): Promise<Response> {
  let failed: { readonly error: unknown } | undefined;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await handler(request, response);
    } catch (error) {
      failed = { error };
      response.end();
    }
  };
  const answer = await inject((request, response) => void handle(request, response), {
    method: method as 'GET',
    url: path,
    headers,
    ...(body === undefined ? {} : { payload: body }),
  });
  if (failed) throw failed.error;
  const shown = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    if (hopByHop.has(name)) continue;
    for (const one of [value ?? []].flat()) shown.append(name, String(one));
  }
  const hasBody = answer.statusCode !== 204 && answer.statusCode !== 304;
  return new Response(hasBody ? new Uint8Array(answer.rawPayload) : null, {
    status: answer.statusCode,
    headers: shown,
  });
}

/** Of the connection that there is none of; the listener sets its own. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
]);
