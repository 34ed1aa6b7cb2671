import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { jsonSchemaOf, schemaFiles, schemaNames } from '../../project/write/json-schemas.ts';
import { replaceFile } from '../../project/write/replace-file.ts';
import type { Run } from '../context.ts';
import { placeToWrite, writesFrom } from '../flags/place-to-write.ts';

interface SchemaOptions {
  readonly args: [name: string | undefined];
  readonly out?: string;
}

/** Prints a JSON Schema, or writes those that editors use into a folder. */
export const runSchema: Run<SchemaOptions> = async (context, { args: [name], out }) => {
  if (out !== undefined) {
    if (name !== undefined) {
      throw new GovctlError('usage_error', `--out writes all schemas; omit ${name}`);
    }
    const from = writesFrom(context);
    const folder = placeToWrite(from, out);
    const places = Object.entries(schemaFiles).map(([schema, file]) => ({
      schema,
      place: placeToWrite(from, path.join(folder, file)),
    }));
    await writeSchemas(folder, places);
    const files = Object.values(schemaFiles);
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
    throw new GovctlError('usage_error', `unknown schema "${wanted}"`, {
      hint: `${nearest ? `Did you mean ${nearest}? ` : ''}Schemas: ${schemaNames.join(', ')}.`,
    });
  }
  await context.world.terminal.stdout.write(Buffer.from(`${JSON.stringify(schema, null, 2)}\n`));
  return exitCodes.ok;
};

/** Writes the schemas of policy files and of govctl.yaml. @throws GovctlError file_error */
async function writeSchemas(
  folder: string,
  places: readonly { readonly schema: string; readonly place: string }[],
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    for (const { schema, place } of places) {
      await replaceFile(place, `${JSON.stringify(jsonSchemaOf(schema), null, 2)}\n`);
    }
  } catch (cause) {
    throw new GovctlError(
      'file_error',
      `the schemas could not be written to ${folder}: ${whyFileFailed(cause)}`,
      { cause },
    );
  }
}
