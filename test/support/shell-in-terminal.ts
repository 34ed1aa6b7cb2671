import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { until } from './until.ts';

/** What a command wrote, without the signs that move and paint. */
export interface Shown {
  readonly text: string;
  readonly exitCode: number;
}

/** A shell in a terminal, for commands as a person types them. */
export interface ShellInTerminal {
  /** Types a command, and each answer when its question is there; resolves when the prompt is back. */
  run(command: string, ...answers: readonly (readonly [RegExp, string])[]): Promise<Shown>;
  /** Types a command that goes on; resolves when it has shown something. */
  start(command: string, sign: RegExp): Promise<string>;
  /** Types a key, and waits for the prompt. */
  end(key: string): Promise<Shown>;
  close(): Promise<void>;
}

/** As spinners and questions go back to the beginning of their line. */
const toLineStart = /\u001b\[\d*G/g;

const prompt = /@@(\d+)@@ $/;

/** The lines as a terminal has them in the end: what a carriage return goes back over is written over. */
export const linesOf = (text: string): readonly string[] =>
  text.split('\n').map((line) => line.replace(/\r+$/, '').split('\r').at(-1) ?? '');

/** @throws where `script` of util-linux is missing */
export async function openShell(
  cwd: string,
  env: Readonly<Record<string, string>>,
  columns: number,
): Promise<ShellInTerminal> {
  const shell = spawn('script', ['-qfec', 'bash --norc --noprofile', '/dev/null'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let seen = '';
  let at = 0;
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk));
  const closed = new Promise<void>((resolve) => shell.on('close', () => resolve()));
  const shown = (): string =>
    stripVTControlCharacters(seen.slice(at).replaceAll(toLineStart, '\r')).replaceAll('\r\n', '\n');
  const waitFor = async (sign: RegExp): Promise<RegExpExecArray> => {
    let found: RegExpExecArray | null = null;
    await until(() => (found = sign.exec(shown())) !== null).catch((error: unknown) => {
      throw new Error(`${String(sign)} was not shown:\n${shown()}`, { cause: error });
    });
    return found as unknown as RegExpExecArray;
  };
  const settle = async (): Promise<Shown> => {
    const [sign, exitCode = ''] = await waitFor(prompt);
    const text = shown().slice(0, -sign.length);
    at = seen.length;
    return { text, exitCode: Number(exitCode) };
  };
  const type = (text: string): void => void shell.stdin.write(text);
  type(
    `stty cols ${columns} rows 50; bind 'set enable-bracketed-paste off'; PS1='@@$?@@ '; stty -echo\n`,
  );
  await waitFor(prompt);
  at = seen.length;
  return {
    async run(command, ...answers) {
      type(`${command}\n`);
      for (const [question, answer] of answers) {
        await waitFor(question);
        type(answer);
      }
      return settle();
    },
    async start(command, sign) {
      type(`${command}\n`);
      await waitFor(sign);
      return shown();
    },
    async end(key) {
      type(key);
      return settle();
    },
    async close() {
      // What runs in the terminal gets SIGHUP, as its other end is gone.
      shell.kill('SIGKILL');
      shell.stdin.destroy();
      shell.stdout.destroy();
      await closed;
    },
  };
}
