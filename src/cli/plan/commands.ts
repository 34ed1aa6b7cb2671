import type { Command } from 'commander';
import type { Act } from '../program.ts';

export function registerPlanCommands(_program: Command, _act: Act): void {}
