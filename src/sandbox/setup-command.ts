/** What a person runs to have the image of a class. */
export const toSetupCommand = (imageClass: string): string =>
  imageClass === 'scanners' ? 'npm run setup' : `npm run setup -- --class ${imageClass}`;
