import { GovctlError } from '../../contract/errors.ts';

/** `soc2 CC6.1` and `SOC2:CC6.1` as the API takes them. @throws GovctlError usage_error for a framework alone */
export function labelOf(framework: string, control: string | undefined): string {
  if (control !== undefined) return `${framework}:${control}`;
  if (framework.includes(':')) return framework;
  throw new GovctlError('usage_error', `No control of ${framework} given`, {
    hint: `Pass a control such as SOC2:CC6.1. To list controls, run \`govctl framework show ${framework}\`.`,
  });
}
