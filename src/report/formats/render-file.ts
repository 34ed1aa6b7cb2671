import type { ReportModel } from '../model.ts';
import type { RenderOptions, Rendered } from './render.ts';
import { rendererOf } from './renderers.ts';
import { writeZip } from './zip.ts';

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
  const { password, filename } = options;
  if (password === undefined || !isArchived(options)) return render(model, options, write, signal);
  let rendered: Rendered = {};
  const entry = {
    name: filename,
    write: async (add: typeof write) => {
      rendered = await render(model, options, add, signal);
    },
  };
  const modified = model.head.generated_at;
  await writeZip([entry], write, { password, modified, signal });
  return rendered;
}

/** Whether a file comes in an encrypted archive. */
export const isArchived = ({
  format,
  password,
}: Pick<RenderOptions, 'format' | 'password'>): boolean =>
  password !== undefined && format !== 'pdf';
