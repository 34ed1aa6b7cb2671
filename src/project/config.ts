import { defined } from '../contract/defined.ts';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { createBoundary, leadsOutside } from './read/boundary.ts';
import { configFileName, showPath } from './read/discover.ts';
import { explainIssues } from './read/explain-issue.ts';
import { locate, valueSpan } from './read/locate.ts';
import type { Problem, ProjectConfig } from './model.ts';
import { defaultPolicySet, policySets } from './policy-sets.ts';
import { parseYaml } from './read/parse-yaml.ts';
import { readText } from './read/read-text.ts';
import { createSource, problemAt } from './read/source.ts';
import type { Finding } from './read/source.ts';

export const projectName = z
  .string()
  .max(64)
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
    'must contain only letters and digits, separated by . _ or -, such as platform-policies',
  );

const baseUrl = z.string().superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    context.addIssue({ code: 'custom', message: 'must be an http:// or https:// URL' });
  } else if (url.username !== '' || url.password !== '') {
    context.addIssue({
      code: 'custom',
      message: 'must not contain a user name or password: govctl.yaml is stored in git',
      params: { secret: true },
    });
  }
});

/** govctl.yaml. It is kept in git, so no secret has a field in it. */
export const ProjectFile = z.strictObject({
  project: projectName.optional(),
  base_url: baseUrl.optional(),
  paths: z.array(z.string().min(1)).min(1).optional(),
  set: z.enum(policySets).optional(),
  concurrency: z.int().min(1).max(64).optional(),
  guards: z.strictObject({ max_delete: z.number().min(0).max(100).optional() }).optional(),
});
export type ProjectFile = z.infer<typeof ProjectFile>;

interface LoadedConfig {
  readonly config: ProjectConfig;
  /** The folder of govctl.yaml, else the working folder. */
  readonly root: string;
  /** govctl.yaml itself, absolute; absent when there is none. */
  readonly file?: string;
  readonly problems: readonly Problem[];
}

/**
 * Reads govctl.yaml from the working folder or the nearest one above that has it; the search ends at the folder that
 * holds `.git`. Without one everything has its default.
 */
export function loadConfig(cwd: string, allowOutside = false): LoadedConfig {
  const file = findConfigFile(cwd);
  if (!file) return { config: withDefaults({}), root: cwd, problems: [] };
  const root = path.dirname(file);
  const found = { root, file };
  const target = createBoundary(root, [], allowOutside).outside(file);
  if (target !== undefined) {
    const nowhere = createSource(showPath(cwd, file), '');
    const problem = problemAt(nowhere, { start: 0, end: 0 }, leadsOutside(target));
    return { ...found, config: withDefaults({}), problems: [problem] };
  }
  const read = readText(showPath(cwd, file), file, statSync(file).size);
  if (!read.source) return { ...found, config: withDefaults({}), problems: [read.problem] };
  const { source } = read;
  const { documents, problems } = parseYaml(source);
  const [document, second] = documents;
  if (!document) return { ...found, config: withDefaults({}), problems };
  if (second) {
    const extra = problemAt(source, valueSpan(locate(second, []), source.text), {
      code: 'config',
      message: 'govctl.yaml must contain one document',
      hint: 'Move policies to separate files.',
    });
    return { ...found, config: withDefaults({}), problems: [...problems, extra] };
  }
  const parsed = ProjectFile.safeParse(document.value);
  if (parsed.success) return { ...found, config: withDefaults(parsed.data), problems };
  const explained = explainIssues(source, document, parsed.error.issues, ProjectFile, secretField);
  return { ...found, config: withDefaults({}), problems: [...problems, ...explained] };
}

function withDefaults(file: ProjectFile): ProjectConfig {
  return {
    ...defined({ project: file.project, base_url: file.base_url }),
    paths: file.paths ?? ['.'],
    set: file.set ?? defaultPolicySet,
    concurrency: file.concurrency ?? 8,
    guards: { max_delete: file.guards?.max_delete ?? 30 },
  };
}

function findConfigFile(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const file = path.join(folder, configFileName);
    if (isFile(file)) return file;
    if (existsSync(path.join(folder, '.git')) || path.dirname(folder) === folder) return undefined;
  }
}

const isFile = (file: string): boolean =>
  statSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** A credential in govctl.yaml is in git already: say where it belongs, and don't print it again. */
function secretField(name: string): Finding | undefined {
  if (!/token|secret|password|api_?key/i.test(name)) return undefined;
  return {
    code: 'secret-field',
    message: `"${name}" is not allowed: govctl.yaml is stored in git and must not contain secrets`,
    hint: 'Use `govctl auth login` or GOVCTL_TOKEN, and revoke this secret.',
    secret: true,
  };
}
