import { defined } from '../../contract/defined.ts';

/** As listed, with the email address or the name of its actor, where it is known. */
export type Named<Row> = Row & { readonly actor_name?: string };

export const withActorName = <Row extends { readonly actor?: string | undefined }>(
  row: Row,
  names: Readonly<Record<string, string>> = {},
): Named<Row> => {
  const { actor = '' } = row;
  return { ...row, ...defined({ actor_name: Object.hasOwn(names, actor) ? names[actor] : undefined }) }; // prettier-ignore
};
