import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { jsonSchemaOf, schemaFiles, schemaNames } from '../../project/write/json-schemas.ts';
import type { Run } from '../context.ts';
import { refuseLinkedOut } from '../flags/linked-out.ts';

interface SchemaOptions {
  readonly args: [name: string | undefined];
  readonly out?: string;
}

/** Prints a JSON Schema, or writes those that editors use into a folder. */
export const runSchema: Run<SchemaOptions> = async (context, { args: [name], out }) => {
  if (out !== undefined) {
    if (name !== undefined) {
      throw new GovctlError('usage_error', `--out writes all schemas; leave out ${name}`);
    }
    const folder = path.resolve(context.world.cwd, out);
    for (const file of Object.values(schemaFiles)) {
      refuseLinkedOut(context.world.cwd, path.join(folder, file), context.flags.allowOutside);
    }
    const files = await writeSchemas(folder);
    await context.show({
      value: { files: files.map((file) => path.join(out, file)) },
      human: () => files.map((file) => `${path.join(out, file)}\n`).join(''),
    });
    return exitCodes.ok;
  }
  const wanted = name ?? 'policies';
  const schema = jsonSchemaOf(wanted);
  if (!schema) {
    const nearest = nearestWord(wanted, schemaNames);
    throw new GovctlError('usage_error', `there is no schema "${wanted}"`, {
      hint: `${nearest ? `Did you mean ${nearest}? ` : ''}Schemas: ${schemaNames.join(', ')}.`,
    });
  }
  await context.world.terminal.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  return exitCodes.ok;
};

/** Writes the schemas of policy files and of govctl.yaml; resolves with the file names. @throws GovctlError file_error */
async function writeSchemas(folder: string): Promise<string[]> {
  const files: string[] = [];
  try {
    await mkdir(folder, { recursive: true });
    for (const [name, file] of Object.entries(schemaFiles)) {
      await writeFile(path.join(folder, file), `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`);
      files.push(file);
    }
  } catch (cause) {
    throw new GovctlError(
      'file_error',
      `the schemas could not be written into ${folder}: ${(cause as Error).message}`,
      { cause },
    );
  }
  return files;
}
