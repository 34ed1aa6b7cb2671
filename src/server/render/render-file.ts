import type { ReportModel } from './model.ts';
import { RenderFault } from './render-fault.ts';
import type { Render, RenderOptions, Rendered } from './render.ts';
import { rendererOf } from './renderers.ts';

export interface FileOptions extends RenderOptions {
  /** What the file is called within an archive. */
  readonly filename: string;
}

/** As it is downloaded: in one format, and in an encrypted archive where it can't be encrypted itself. */
export async function renderFile(
  model: ReportModel,
  options: FileOptions,
  write: (chunk: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<Rendered> {
  const render = await rendererOf(options.format);
  if (!isArchived(options)) return render(model, options, write, signal);
  return renderProtected(render);
}

/** Whether a file comes in an encrypted archive. */
export const isArchived = ({
  format,
  password,
}: Pick<RenderOptions, 'format' | 'password'>): boolean =>
  password !== undefined && format !== 'pdf';

function renderProtected(_render: Render): never {
  throw new RenderFault('Only PDF files can be protected with a password yet');
}
