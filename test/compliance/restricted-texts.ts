import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const data = path.resolve(
  import.meta.dirname,
  '../../../shared/data/compliance/prowler-cloud__prowler/aws',
);

export const hasRestrictedTexts = existsSync(data);

interface Requirement {
  readonly Name?: string;
  readonly Description?: string;
  readonly Attributes?: readonly Readonly<Record<string, string | null>>[];
}

/** Files with texts of SOC 2, ISO 27001 and PCI DSS, and the fields that have them; the other fields are the file's own words. */
const files = {
  'soc2_aws.json': ['Name', 'Description'],
  'iso27001_2013_aws.json': ['Name', 'Category', 'Objetive_Name'],
  'iso27001_2022_aws.json': ['Name', 'Description', 'Category', 'Objetive_Name', 'Check_Summary'],
  'pci_3.2.1_aws.json': ['Name', 'Description', 'Section'],
  'pci_4.0_aws.json': ['Section'],
};

/** Titles and texts of the restricted bodies, as others published them with their mappings. */
export const restrictedTexts = (): string[] => [
  ...new Set(
    Object.entries(files).flatMap(([name, fields]) => {
      const { Requirements: all } = JSON.parse(readFileSync(path.join(data, name), 'utf8')) as {
        Requirements: Requirement[];
      };
      return all.flatMap(({ Attributes = [], ...own }) =>
        [own, ...Attributes].flatMap((one) =>
          fields.flatMap((field) => {
            const text = (one as Readonly<Record<string, unknown>>)[field];
            return typeof text === 'string' ? [text] : [];
          }),
        ),
      );
    }),
  ),
];
