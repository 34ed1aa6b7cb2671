export const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

// Names of what parts are made of.
export const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const packages = 'http://schemas.openxmlformats.org/package/2006';
export const spreadsheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const drawingml = 'http://schemas.openxmlformats.org/drawingml/2006';

/** What is drawn on a sheet, as the sheet refers to it. */
export const drawingId = 'rId1';
