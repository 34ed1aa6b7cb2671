import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeTempFolder } from './built-cli.ts';
import { runTool } from './system-tool.ts';

const source = (sign: string): string => `
#include <sys/syscall.h>
#include <unistd.h>
static void wait(void) { while (access(${JSON.stringify(sign)}, F_OK) == 0) usleep(10000); }
int fdatasync(int fd) { wait(); return syscall(SYS_fdatasync, fd); }
int fsync(int fd) { wait(); return syscall(SYS_fsync, fd); }
`;

/**
 * Makes a disk that can be stopped, for a program: nothing that it writes becomes durable as long as a file is there. A
 * debugger that holds up the calls would hold up the end of the program, too.
 * @returns variables for its environment. @throws without a C compiler
 */
export function stoppableDisk(): { readonly env: Record<string, string>; stop(): void } {
  const folder = makeTempFolder();
  const at = (name: string): string => path.join(folder, name);
  writeFileSync(at('slow.c'), source(at('stopped')));
  runTool('cc', '-shared', '-fPIC', '-o', at('slow.so'), at('slow.c'));
  return { env: { LD_PRELOAD: at('slow.so') }, stop: () => writeFileSync(at('stopped'), '') };
}
