import { describe, expect, it } from 'vitest';
import { readControlsCsv } from '../../../src/project/read/read-controls-csv.ts';
import { readOscal } from '../../../src/project/read/read-oscal.ts';

const oscal = (document: unknown) => readOscal('c.json', JSON.stringify(document));
const label = (value: string) => ({ props: [{ name: 'label', value }] });

describe('an OSCAL catalog', () => {
  it('gives controls of any depth, by their labels, with parents and statements', () => {
    const read = oscal({
      catalog: {
        metadata: { title: 'A  catalog', version: '5' },
        groups: [
          {
            groups: [
              {
                controls: [
                  {
                    id: 'ac-1',
                    title: 'Policy',
                    props: [
                      { name: 'label', value: 'AC-01', class: 'zero-padded' },
                      { name: 'label', value: 'AC-1' },
                    ],
                    params: [
                      { id: 'p1', label: 'roles' },
                      { id: 'p2', select: { choice: ['daily', '{{ insert: param, p1 }}'] } },
                    ],
                    parts: [
                      {
                        name: 'statement',
                        parts: [
                          { ...label('a.'), prose: 'Tell {{ insert: param, p1 }} {{ p2 }}; and' },
                          { ...label('b.'), prose: 'Ask {{ insert: param, p9 }}.' },
                        ],
                      },
                      { name: 'guidance', prose: 'Not this.' },
                    ],
                    controls: [{ id: 'ac-1.1', title: 'More' }],
                  },
                  { id: 'ac-9', props: [{ name: 'status', value: 'withdrawn' }] },
                ],
              },
            ],
          },
        ],
        controls: [{ id: 'x', title: ' ' }],
      },
    });
    expect(read).toEqual({
      name: 'A catalog',
      version: '5',
      controls: [
        {
          id: 'AC-1',
          title: 'Policy',
          description: 'a. Tell [roles] [daily / p1]; and\nb. Ask [p9].',
        },
        { id: 'ac-1.1', title: 'More', parent: 'AC-1' },
        { id: 'x', title: 'x' },
      ],
    });
  });

  it.each([
    ['a profile', { profile: { imports: [] } }, 'the OSCAL model is profile'],
    ['other JSON', { a: 1 }, 'not an OSCAL catalog'],
    ['a list', [], 'not an OSCAL catalog'],
    ['a catalog of another shape', { catalog: [1] }, 'not an OSCAL catalog'],
    ['a catalog without controls', { catalog: { groups: 7, controls: 'x' } }, 'no controls'],
    ['links instead of controls', { catalog: { controls: [1, null, [], {}] } }, 'no controls'],
  ])('is not %s', (_, document, message) => {
    expect(() => oscal(document)).toThrow(message);
  });

  it('says where its JSON ends to be JSON', () => {
    expect(() => readOscal('c.json', '{\n  "catalog": {,}\n}')).toThrow('c.json:2:15 cannot');
  });
});

describe('a table of controls', () => {
  it('is read as RFC 4180 has it, in any order of columns', () => {
    const text =
      '\ufeffTitle,id,parent,description\r\n"First, ""really""",A,,"Two\nlines"\r\n\r\nSecond,A.1,A,\r\n';
    const { lines, ...table } = readControlsCsv('c.csv', text);
    expect([...(lines?.values() ?? [])]).toEqual([2, 5]);
    expect(table).toEqual({
      controls: [
        { id: 'A', title: 'First, "really"', description: 'Two\nlines' },
        { id: 'A.1', title: 'Second', parent: 'A' },
      ],
    });
  });

  it.each([
    ['nothing', '', 'the file is empty'],
    ['a head alone', 'id,title\n', 'no controls below'],
    ['no title', 'id,name\n', 'c.csv:1 cannot be imported: unknown column "name"'],
    ['no id', 'title\n', 'missing column id'],
    ['a column twice', 'id,title,id\n', 'duplicate column id'],
    ['a short line', 'id,title\na\n', 'c.csv:2 cannot be imported: the line has 1 of 2 columns'],
    ['an empty title', 'id,title\n"a\nb",c\nx,\n', 'c.csv:4 cannot be imported: the column title'],
    ['an open quote', 'id,title\na,"b\n', 'c.csv:2 cannot be imported: the closing quote'],
    ['text after a quote', 'id,title\n"a"b,c\n', 'text follows the end'],
  ])('is refused with %s', (_, text, message) => {
    expect(() => readControlsCsv('c.csv', text)).toThrow(message);
  });
});
