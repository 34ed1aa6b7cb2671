import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerDoctorCommand(program: GovctlCommand, act: Act): void {
  program
    .command('doctor')
    .description('check this machine, the login and the service, and suggest fixes')
    .action(act(() => import('./doctor.ts').then((m) => m.runDoctor)));
}
