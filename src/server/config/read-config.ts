import { defined } from '../../contract/defined.ts';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describeIssues } from '../../contract/describe-issues.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { DocumentPath } from '../../inventory/model.ts';
import { parseYaml } from '../../inventory/text/parse-yaml.ts';
import type { ParsedText } from '../../inventory/text/parsed-text.ts';
import type { Binding } from './binding.ts';
import { storageSecret } from './config.ts';
import type { BoundSecret, ServerConfig, StorageKeys } from './config.ts';
import { remediationOf } from './remediation.ts';
import { resolveReferences } from './references.ts';
import type { Env } from './references.ts';
import { ConfigFile, isSecret, secretRule } from './schema.ts';
import { signInOf } from './sign-in.ts';
import { smtpOf } from './smtp.ts';

export interface ReadConfig {
  readonly config: ServerConfig;
  /** Lines an operator should read. */
  readonly notices: readonly string[];
}

/** Bytes of a file that says no more than this can. */
const longestFile = 1024 * 1024;

/**
 * Reads what the operator says in a file and in the environment; the file wins.
 * @throws GovctlError invalid_file with a line for each finding: `file:line:column: what`
 */
export async function readServerConfig(file: string | undefined, env: Env): Promise<ReadConfig> {
  const given = file === undefined ? { parsed: {}, plain: false } : await readConfigFile(file, env);
  const {
    smtp: mail,
    chat,
    organization,
    owner_tags,
    cost,
    prediction,
    remediation,
    trusted_proxies,
    sign_in: signIn,
    country_database: countries,
    retention,
  } = given.parsed;
  const smtp = await smtpOf(mail, env, file);
  const secrets = secretsOf(given.parsed, env);
  const storage = storageOf(given.parsed, secrets, env);
  return {
    config: {
      ...(smtp ? { smtp: smtp.config } : {}),
      ...(chat ? { chat } : {}),
      ...(storage ? { object_storage: storage } : {}),
      ...(Object.keys(secrets).length > 0 ? { secrets } : {}),
      ...defined({ organization, owner_tags, trusted_proxies }),
      ...(cost
        ? {
            cost: defined({
              tags: cost.tags,
              shared: cost.shared,
              anomalies: cost.anomalies && defined(cost.anomalies),
            }),
          }
        : {}),
      ...(retention ? { retention: defined(retention) } : {}),
      ...(prediction?.methods ? { prediction: { methods: prediction.methods } } : {}),
      ...(remediation ? { remediation: await remediationOf(remediation, env, file ?? '') } : {}),
      ...(signIn ? { sign_in: signInOf(signIn) } : {}),
      ...(countries === undefined
        ? {}
        : { country_database: path.resolve(path.dirname(file ?? ''), countries) }),
    },
    notices: [
      ...unboundNotices(given.parsed, file ?? ''),
      ...(file !== undefined && given.plain && (await othersCanRead(file))
        ? [
            `${file} contains a secret and is readable by others on this machine. Run chmod 600, or use \${NAME} and set that variable for the server.`,
          ]
        : []),
      ...(smtp?.notices ?? []),
    ],
  };
}

/** As the file has it. */
type GivenBinding = { readonly [K in keyof Binding]?: Binding[K] | undefined };

const bindingOf = ({ hosts = [], buckets = [] }: GivenBinding): Binding => ({ hosts, buckets });

/** Without a value, a secret is the variable of its name. */
const secretsOf = ({ secrets = {} }: ConfigFile, env: Env): Record<string, BoundSecret> =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, { value = variable(env, name), ...bound }]) => [
      name,
      { ...defined({ value }), ...bindingOf(bound) },
    ]),
  );

/** Empty is not set. */
const variable = (env: Env, name: string): string | undefined =>
  (Object.hasOwn(env, name) ? env[name] : undefined) || undefined;

/** Those of the file, else of the environment, as the tools of AWS have them; these are bound by the name of the secret one. */
function storageOf(
  { object_storage: given }: ConfigFile,
  { [storageSecret]: listed }: Readonly<Record<string, BoundSecret>>,
  env: Env,
): StorageKeys | undefined {
  if (given) {
    const { access_key_id, secret_access_key, session_token, ...bound } = given;
    return { access_key_id, secret_access_key, ...defined({ session_token }), ...bindingOf(bound) };
  }
  const id = variable(env, 'AWS_ACCESS_KEY_ID');
  const secret = listed?.value ?? variable(env, storageSecret);
  if (id === undefined || secret === undefined) return undefined;
  return {
    access_key_id: id,
    secret_access_key: secret,
    ...defined({ session_token: variable(env, 'AWS_SESSION_TOKEN') }),
    ...bindingOf(listed ?? {}),
  };
}

/** What the file lists and binds to nothing, the form of earlier versions: no channel gets it. */
function unboundNotices(
  { secrets = {}, object_storage: storage }: ConfigFile,
  file: string,
): string[] {
  const unbound = Object.entries(secrets).filter(
    ([, { hosts = [], buckets = [] }]) => hosts.length === 0 && buckets.length === 0,
  );
  return [
    ...unbound.map(
      ([name]) =>
        `${file}: secrets.${name} has no hosts, so no channel can use the secret. Add the hosts that may receive the secret: ${name}: {value: …, hosts: [files.example.com]}`,
    ),
    ...(storage && (storage.buckets ?? []).length === 0
      ? [
          `${file}: object_storage has no buckets, so nothing is uploaded. Add buckets: [NAME] and, for storage other than AWS, hosts: [HOST].`,
        ]
      : []),
  ];
}

async function readConfigFile(
  file: string,
  env: Env,
): Promise<{ readonly parsed: ConfigFile; readonly plain: boolean }> {
  const text = await readText(file);
  const read = parseYaml(text);
  if (!read) return { parsed: {}, plain: false };
  if (!read.ok) throw refuse(file, [{ ...read.problem }]);
  const { parsed } = read;
  if (parsed.problems.length > 0) throw refuse(file, parsed.problems);
  const { value, plainSecret, problems } = resolveReferences(parsed.document, env);
  if (problems.length > 0)
    throw refuse(
      file,
      problems.map((one) => at(parsed, one.path, one.message)),
    );
  const checked = ConfigFile.safeParse(value, { reportInput: true });
  if (checked.success) return { parsed: checked.data, plain: plainSecret };
  const found = describeIssues(ConfigFile, value, checked.error.issues).map(
    ({ field, message }) => {
      const steps = field === '' ? [] : field.split('.');
      // What is written there must not be told.
      const said = isSecret(steps) ? secretRule(steps) : message;
      return at(parsed, steps, `${field || 'the file'} ${said}`);
    },
  );
  throw refuse(file, found);
}

async function readText(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > longestFile) throw new Error('the file is larger than 1 MiB');
    return await readFile(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const reason = why === 'ENOENT' ? 'no such file' : why;
    throw new GovctlError('invalid_file', `--config ${file} could not be read: ${reason}`, {
      cause,
    });
  }
}

interface Finding {
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

const at = (parsed: ParsedText, steps: DocumentPath, message: string): Finding => ({
  message,
  ...parsed.locate([steps])[0],
});

function refuse(file: string, findings: readonly Finding[]): GovctlError {
  const lines = findings.map(({ message, line, column }) =>
    line === undefined ? `${file}: ${message}` : `${file}:${line}:${column ?? 1}: ${message}`,
  );
  return new GovctlError('invalid_file', lines.join('\n'));
}

export const othersCanRead = async (file: string): Promise<boolean> =>
  process.platform !== 'win32' && ((await stat(path.resolve(file))).mode & 0o044) !== 0;
