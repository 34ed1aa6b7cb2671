/** Names the schema of report files. It is no address: nothing has to be fetched to read one. */
export const reportSchemaId = 'urn:govctl:schema:report:1';
