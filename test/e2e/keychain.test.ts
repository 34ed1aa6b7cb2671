import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import {
  cleanEnvironment,
  makeTempFolder,
  projectRoot,
  startBuiltServer,
} from '../support/built-cli.ts';
import { hasTool, runTool } from '../support/system-tool.ts';

const usable =
  hasTool('gnome-keyring-daemon', () => runTool('gnome-keyring-daemon', '--version')) &&
  hasTool('dbus-run-session', () => runTool('dbus-run-session', '--version'));

describe.skipIf(!usable)(
  'with a real keychain (Secret Service on a session bus of its own)',
  () => {
    it('keeps a login there and nowhere else, gives it to the next command, and forgets it at logout', async () => {
      const server = await startBuiltServer();
      const home = makeTempFolder();
      const config = path.join(home, 'config');
      const govctl = `"${process.execPath}" "${path.join(projectRoot, 'bin', 'govctl.js')}"`;
      const script = [
        `printf 'pass\\n' | gnome-keyring-daemon --unlock --components=secrets > /dev/null 2>&1`,
        `printf %s "$KEY" | ${govctl} auth login --base-url ${server.baseUrl} --with-token`,
        `${govctl} auth token`,
        `grep -r "$KEY" "$GOVCTL_CONFIG_DIR" && echo 'the key is in a file'`,
        `${govctl} auth logout`,
        `${govctl} auth token; echo "exit $?"`,
      ].join('\n');
      const { stdout, stderr } = await execa('dbus-run-session', ['--', 'bash', '-c', script], {
        env: {
          ...cleanEnvironment({
            HOME: home,
            XDG_RUNTIME_DIR: home,
            GOVCTL_CONFIG_DIR: config,
            KEY: server.key,
          }),
          GOVCTL_KEYRING: 'auto',
        },
        extendEnv: false,
        reject: false,
      });
      await server.stop();
      expect(stdout, stderr).toContain(`stored in the system keychain`);
      expect(stdout.split('\n')).toContain(server.key);
      expect(stdout).not.toContain('the key is in a file');
      expect(stdout).toMatch(/exit [34]/);
      expect(readFileSync(path.join(config, 'profiles.json'), 'utf8')).not.toContain(server.key);
      expect(readdirSync(config)).not.toContain('credentials');
    });
  },
);
