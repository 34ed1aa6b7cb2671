import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { createFakeWorld, runCommandLine } from '../support/fake-world.ts';
import { helpOf } from '../support/help-of.ts';

const program = createProgram(() => () => Promise.resolve(), createFakeWorld(), '1.0.0');
const commands = [...walk(program, 'govctl')];

function* walk(command: Command, name: string): Generator<[name: string, command: Command]> {
  yield [name, command];
  for (const child of command.commands) yield* walk(child, `${name} ${child.name()}`);
}

const found = (check: (command: Command) => readonly string[]): string[] =>
  commands.flatMap(([name, command]) => check(command).map((text) => `${name}: ${text}`));

describe('the help of every command', () => {
  it('is of all commands', () => {
    expect(commands.length).toBeGreaterThan(200);
  });

  it('fits 80 columns', () => {
    expect(
      found((command) =>
        helpOf(command, 80)
          .split('\n')
          .filter((line) => line.length > 80),
      ),
    ).toEqual([]);
  });

  it('fits 60 columns, except usage and examples, which are copied', () => {
    const isCopied = (line: string): boolean => /^(Usage:| {2}\$ | {6}\S| {2}[+!])/.test(line);
    expect(
      found((command) =>
        helpOf(command, 60)
          .split('\n')
          .filter((line) => line.length > 60 && !isCopied(line)),
      ),
    ).toEqual([]);
  });

  it('describes each argument and option', () => {
    expect(
      found(({ registeredArguments, options }) => [
        ...registeredArguments.filter((one) => one.description === '').map((one) => one.name()),
        ...options.filter((one) => one.description === '').map((one) => one.flags),
      ]),
    ).toEqual([]);
  });

  it('lists no verbs of which there is no command', () => {
    const verbs = new Set(commands.map(([, command]) => command.name()));
    expect(
      found((command) => {
        const own = command.commands.map((one) => one.name());
        const [listed = ''] =
          /^[a-z-]+(, [a-z-]+)* (and|or) [a-z-]+/.exec(command.description()) ?? [];
        return own.length === 0
          ? []
          : listed.split(/, | and | or /).filter((verb) => verbs.has(verb) && !own.includes(verb));
      }),
    ).toEqual([]);
  });

  it('begins with an imperative', () => {
    expect(
      found((command) =>
        [command.summary(), command.description()].filter((text) => /^\w+[^s]s\b/.test(text)),
      ),
    ).toEqual([]);
  });

  it('has at most 13 options under one heading', () => {
    const sizes = (command: Command): string[] => {
      const groups = new Map<string, number>();
      for (const { helpGroupHeading = 'Options:', hidden } of command.options) {
        if (!hidden) groups.set(helpGroupHeading, (groups.get(helpGroupHeading) ?? 0) + 1);
      }
      return [...groups].filter(([, size]) => size > 13).map(([title]) => title);
    };
    expect(found(sizes)).toEqual([]);
  });

  it.each(['check', 'apply', 'server', 'report create', 'schedule create', 'webhook create'])(
    'of %s has five main options, then groups, global options and examples',
    async (name) => {
      const { stdout } = await runCommandLine([...name.split(' '), '--help'], { columns: 80 });
      const titles = stdout.split('\n').filter((line) => /^[A-Z].*:$/.test(line));
      const own = titles.slice(titles.indexOf('Options:'));
      expect(own[0]).toBe('Options:');
      expect(own.at(-1)).toBe('Examples:');
      expect(own.indexOf('Global Options:')).toBeGreaterThan(2);
      const [, main = ''] = /\nOptions:\n(.*?)\n\n/s.exec(stdout) ?? [];
      expect(main.split('\n').filter((line) => /^ {2}-/.test(line))).toHaveLength(5);
    },
  );

  it('lists allowed values and the default in words', async () => {
    const { stdout } = await runCommandLine(['scan', 'list', '--help'], { columns: 100 });
    expect(stdout).toContain('--order <order>        sort order: asc, desc (default: desc)');
    expect(stdout).toContain(
      '--status <status>      filter by status: pending, running, completed, failed',
    );
  });

  it('puts a long option on its own line where the terminal is narrow', async () => {
    const { stdout } = await runCommandLine(['trust', 'create', '--help'], { columns: 60 });
    expect(stdout).toMatch(/^ {2}--allow-pull-request-target\n {20,}allow the events/m);
  });

  it('keeps quoted values in one piece', async () => {
    const { stdout } = await runCommandLine(['schedule', 'create', '--help'], { columns: 72 });
    expect(stdout).toContain("'0 9 * * 1'");
  });
});
