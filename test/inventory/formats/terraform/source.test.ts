import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startCpuTime } from '../../../support/cpu-time.ts';
import { indexSources } from '../../../../src/inventory/formats/terraform/source-lines.ts';
import { scanComments, scanHcl } from '../../../../src/inventory/formats/terraform/hcl.ts';

const files = [
  {
    path: 'main.tf',
    text: `# resource "aws_s3_bucket" "no" {
/* resource "aws_s3_bucket" "neither" {
*/
locals { text = "} resource \${"{"} " }
resource "aws_s3_bucket" "main" {
  policy = <<-EOF
    resource "aws_s3_bucket" "in_text" {
  EOF
}

resource "aws_s3_bucket"
  "other" {}
module "net" {
  source = "./modules/net"
}
module "far" {
  source = "terraform-aws-modules/vpc/aws"
}
`,
  },
  { path: 'modules/net/subnets.tf', text: '\nresource "aws_subnet" "main" {\n}\n' },
];

test.each([
  ['aws_s3_bucket.main', 'main.tf', 5],
  ['module.net.aws_subnet.main', 'modules/net/subnets.tf', 2],
  ['module.net["eu"].aws_subnet.main["a.b"]', 'modules/net/subnets.tf', 2],
  ['module.far.aws_vpc.this[0]', 'main.tf', 13 + 3],
  ['aws_s3_bucket.main/settings/default', 'main.tf', 5],
])('%s is declared in %s, line %i', (address, path, line) => {
  expect(indexSources(files).locate(address)).toMatchObject({ path, line });
});

test.each(['aws_s3_bucket.no', 'aws_s3_bucket.neither', 'aws_s3_bucket.in_text', 'x', ''])(
  'what only a comment or a text says is no place: %s',
  (address) => {
    expect(indexSources(files).locate(address)).toBeUndefined();
  },
);

test('any text is scanned to its end, a long one in one pass', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('"', '{', '}', '$', '<', '\n', '#', '/', '*', 'a', '\\') }),
      (text) => {
        expect(Array.isArray(scanHcl(text).blocks)).toBe(true);
        for (const { start, end } of scanComments(text))
          expect(text.slice(start, end)).toMatch(/^(?:#|\/[/*])/);
      },
    ),
  );
  const cpuTime = startCpuTime();
  for (const unit of [
    '<<',
    '"${',
    '{ ',
    'a "b" {\n',
    '/*',
    '# govctl:skip\n',
    '/* govctl:skip */',
  ]) {
    indexSources([{ path: 'main.tf', text: `${unit.repeat(200_000)}\na "b" {}` }]);
  }
  const wide = `# govctl:skip=p until=2027-03-31 a${' '.repeat(200_000)}b */`;
  expect(indexSources([{ path: 'main.tf', text: wide }]).straySkips).toMatchObject([
    { reason: expect.stringMatching(/b$/) as unknown },
  ]);
  expect(cpuTime()).toBeLessThan(30_000);
});
