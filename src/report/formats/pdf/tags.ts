import type { ObjectStreams } from './object-streams.ts';
import { textString, verbatim } from './pdf-string.ts';

/** An element of the structure tree, while it is open. */
export interface Element {
  readonly id: number;
  readonly type: ElementType;
  readonly parent: number;
  readonly attributes: string;
  /** As they stand in its `K`. */
  readonly kids: string[];
  /** The object number of the page that its first content is on. */
  page?: number;
}

export type ElementType =
  | 'Document'
  | 'Sect'
  | 'H1'
  | 'H2'
  | 'H3'
  | 'P'
  | 'TOC'
  | 'TOCI'
  | 'Link'
  | 'Figure'
  | 'Caption'
  | 'L'
  | 'LI'
  | 'Lbl'
  | 'LBody'
  | 'Table'
  | 'THead'
  | 'TBody'
  | 'TR'
  | 'TH'
  | 'TD'
  | 'Note'
  | 'Div';

export interface Tags {
  readonly root: Element;
  open(type: ElementType, parent: Element, attributes?: TagAttributes): Element;
  /** Writes it; it can take no more. */
  close(element: Element): void;
  /** Says what the marked contents of a page belong to: element numbers, by the content's number. */
  page(key: number, owners: readonly number[]): void;
  /** Says that an annotation belongs to an element. */
  annotation(element: Element, annotation: number, page: number): number;
  nextKey(): number;
  /** Closes the document's element; gives the entries of the tree's root. */
  end(): Readonly<Record<string, unknown>>;
}

interface TagAttributes {
  readonly alt?: string;
  readonly title?: string;
  /** Of a header cell. */
  readonly scope?: 'Column';
  /** Of a cell: how many columns it is under. */
  readonly span?: number;
}

/** @param treeRoot the number of the StructTreeRoot */
export function createTags(objects: ObjectStreams, treeRoot: number): Tags {
  const owners: string[] = [];
  let keys = 0;
  const open = (type: ElementType, parent: number, attributes: TagAttributes = {}): Element => ({
    id: objects.reserve(),
    type,
    parent,
    attributes: attributesText(attributes),
    kids: [],
  });
  const close = (element: Element): void => {
    objects.write(element.id, elementText(element));
  };
  const root = open('Document', treeRoot);
  return {
    root,
    open(type, parent, attributes) {
      const element = open(type, parent.id, attributes);
      parent.kids.push(`${element.id} 0 R`);
      return element;
    },
    close,
    nextKey: () => keys++,
    page(key, elements) {
      const id = objects.reserve();
      objects.write(id, `[${elements.map((element) => `${element} 0 R`).join(' ')}]`);
      owners[key] = `${key} ${id} 0 R`;
    },
    annotation(element, annotation, page) {
      const key = keys++;
      owners[key] = `${key} ${element.id} 0 R`;
      element.kids.push(`<</Type/OBJR/Obj ${annotation} 0 R/Pg ${page} 0 R>>`);
      return key;
    },
    end() {
      close(root);
      const tree = objects.reserve();
      objects.write(tree, `<</Nums [${owners.join(' ')}]>>`);
      return {
        K: verbatim(`[${root.id} 0 R]`),
        ParentTree: verbatim(`${tree} 0 R`),
        ParentTreeNextKey: keys,
      };
    },
  };
}

/** Adds content number `mcid` of a page to what an element holds. */
export function addContent(element: Element, page: number, mcid: number): void {
  element.page ??= page;
  element.kids.push(
    element.page === page ? String(mcid) : `<</Type/MCR/Pg ${page} 0 R/MCID ${mcid}>>`,
  );
}

function elementText({ type, parent, attributes, kids, page }: Element): string {
  const place = page === undefined ? '' : `/Pg ${page} 0 R`;
  const content = kids.length === 0 ? '' : `/K[${kids.join(' ')}]`;
  return `<</S/${type}/P ${parent} 0 R${attributes}${place}${content}>>`;
}

function attributesText({ alt, title, scope, span }: TagAttributes): string {
  const parts: string[] = [];
  if (alt !== undefined) parts.push(`/Alt${textString(alt)}`);
  if (title !== undefined) parts.push(`/T${textString(title)}`);
  if (scope !== undefined) parts.push(`/A<</O/Table/Scope/${scope}>>`);
  if (span !== undefined) parts.push(`/A<</O/Table/ColSpan ${span}>>`);
  return parts.join('');
}
