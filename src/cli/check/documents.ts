import type { ReadOptions } from '../../inventory/model.ts';
import { parseInput, readInventory, readParsed } from '../../inventory/read.ts';
import type { InventoryRead } from '../../inventory/read.ts';
import { exportPartOf, groupLinked, readTogether } from '../../inventory/together.ts';
import type { ExportPart, Group, NamedText } from '../../inventory/together.ts';
import type { InputFile } from '../../project/check/discover-inputs.ts';
import type { Holding } from '../../project/model.ts';

/** In bytes. A format that has more than one line per resource is held in memory, several times over. */
export const largestDocument = 256 * 1024 * 1024;

/** A document, or the parts of an export that are read as one. */
export interface DocumentRead {
  readonly inputs: Group<InputFile>;
  readonly read: () => InventoryRead;
}

/** Reads the documents of a command. */
export interface Documents {
  /** Undefined for a part of an export: it waits until the other files have been read. */
  open(input: InputFile, bytes: Uint8Array): DocumentRead | undefined;
  /** The waiting parts, merged. */
  waiting(): readonly DocumentRead[];
  /** Why parts were not merged, and the first file concerned. */
  notMerged(): { readonly file: string; readonly message: string } | undefined;
}

/** As bytes: most parts have no others, and all of them parsed would take many times the memory of the largest. */
interface Waiting extends ExportPart {
  readonly input: InputFile;
  readonly bytes: Uint8Array;
}

/**
 * @param files how many there are; a single one is complete
 * @param most the bytes that may wait; if there are more, each file is read separately
 */
export function createDocuments(
  options: ReadOptions,
  holding: Holding,
  files: number,
  most = largestDocument,
): Documents {
  const waiting: Waiting[] = [];
  let size = 0;
  let isTooLarge = false;
  return {
    open(input, bytes) {
      const parse = holding(() => parseInput(bytes));
      if (!parse.ok) return { inputs: [input], read: () => parse };
      const { parsed } = parse;
      const part = files > 1 ? holding(() => exportPartOf(parsed, options)) : undefined;
      if (part) {
        isTooLarge ||= size + bytes.length > most;
        if (!isTooLarge) {
          size += bytes.length;
          waiting.push({ ...part, input, bytes });
          return undefined;
        }
      }
      return { inputs: [input], read: () => holding(() => readParsed(parsed, options)) };
    },
    waiting() {
      const groups = isTooLarge
        ? waiting.map((one): Group<Waiting> => [one])
        : groupLinked(waiting);
      return groups.map((group) => {
        const [first, ...others] = group;
        return {
          inputs: [first.input, ...others.map(({ input }) => input)],
          read: () => holding(() => readGroup(group, options)),
        };
      });
    },
    notMerged() {
      const [first] = waiting;
      if (!isTooLarge || !first) return undefined;
      return {
        file: first.input.file,
        message: `the exports exceed ${most / 1024 / 1024} MiB in total, so each file was read separately: parts of a resource in different files are not merged. Pass fewer files per command, such as those of one project`,
      };
    },
  };
}

function readGroup(group: Group<Waiting>, options: ReadOptions): InventoryRead {
  const [{ bytes, format }, ...others] = group;
  if (others.length === 0) return readInventory(bytes, options);
  const texts: NamedText[] = [];
  for (const { input, bytes } of group) {
    const parse = parseInput(bytes);
    if (!parse.ok) return parse;
    texts.push({ file: input.file, parsed: parse.parsed });
  }
  return readTogether(texts, { ...options, format });
}
