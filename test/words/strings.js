// Every string that a user may see, from the syntax tree of src/ and the policies that come with the program.
// `npm run strings` prints them by file and line; `npm run strings -- --random 40 [SEED]` draws some of them.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { LineCounter, isScalar, parseDocument, visit as visitYaml } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));

export function listStrings() {
  return [...below('src', '.ts').flatMap(stringsOf), ...below('policies-example', '.yaml').flatMap(textsOfPolicy)]; // prettier-ignore
}

const below = (folder, extension) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension) && !/\.(d|test)\.\w+$/.test(name))
    .sort()
    .map((name) => path.posix.join(folder, name));

/** Fields of a policy that people read. */
const policyTexts = new Set(['name', 'description', 'message', 'title', 'reason']);

function textsOfPolicy(file) {
  const found = [];
  const lines = new LineCounter();
  visitYaml(parseDocument(readFileSync(path.join(root, file), 'utf8'), { lineCounter: lines }), {
    Pair(_, { key, value }) {
      if (!isScalar(value) || typeof value.value !== 'string' || !isForPeople(value.value, file) || !policyTexts.has(key.value)) return; // prettier-ignore
      found.push({ file, line: lines.linePos(value.range[0]).line, text: value.value });
    },
  });
  return found;
}

function stringsOf(file) {
  const source = ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true); // prettier-ignore
  const found = [];
  const visit = (node) => {
    if (isNoText(node)) return;
    const text = textOf(node);
    if (text !== undefined) {
      if (isForPeople(text, file)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push({ file, line: line + 1, text });
      }
      // A template's values may have texts of their own.
      if (ts.isTemplateExpression(node)) for (const span of node.templateSpans) visit(span.expression); // prettier-ignore
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Modules, types, keys, and what is compared. */
function isNoText(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true; // prettier-ignore
  const { parent } = node;
  if (!ts.isStringLiteralLike(node) || !parent) return false;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return true;
  if (ts.isCaseClause(parent) || ts.isElementAccessExpression(parent)) return true;
  // What stands in for a match of a regular expression: words of earlier builds, which only a fingerprint contains.
  if (ts.isArrayLiteralExpression(parent) && ts.isRegularExpressionLiteral(parent.elements[0])) return true; // prettier-ignore
  return ts.isBinaryExpression(parent) && [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken].includes(parent.operatorToken.kind); // prettier-ignore
}

/** A text that is put together with `+` is one. */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map((span) => `{…}${span.literal.text}`).join('');
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    if (left !== undefined && right !== undefined) return left + right;
  }
  return undefined;
}

/** Two words, or one that begins with a capital as headings and labels do; in inventory/ those are names of types. */
const isForPeople = (text, file) =>
  !isStatement(text) &&
  ((/^\p{Lu}\p{Ll}+[.:?!]?$/u.test(text.trim()) && !file.startsWith('src/inventory/')) ||
    (/\p{L}{2,}/u.test(text.replaceAll('{…}', '')) &&
      /\p{L}{2,}[)"'”’,.:;]*\s+(?:[^\s\p{L}]+\s+)*[("'“‘]?\p{L}{2,}/u.test(
        text.replaceAll('{…}', 'xx'),
      )));

/** A statement of a policy, as inventory/ writes those of SAM: `sns:Publish -> :${TopicName}`. */
const isStatement = (text) => / -> [:*]/.test(text);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const strings = listStrings();
  const [flag, count = '40', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
  if (flag === '--random') {
    console.log(`${count} of ${strings.length} strings, seed ${seed}`);
    let state = Number(seed);
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return state / 0x80000000;
    };
    for (let left = Number(count); left > 0 && strings.length > 0; left--)
      show(...strings.splice(Math.floor(random() * strings.length), 1));
  } else strings.forEach((one) => show(one));
}

function show({ file, line, text }) {
  console.log(`${file}:${line}  ${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}`);
}
