import { t } from '../language/texts.ts';
import { Select } from './field.tsx';

/** Encodings of files from spreadsheets and banks, except UTF-8. */
const ENCODINGS = {
  'windows-1252': t('Western European (Windows)'),
  'windows-1250': t('Central European (Windows)'),
  'windows-1251': t('Cyrillic (Windows)'),
  'windows-1253': t('Greek (Windows)'),
  'windows-1254': t('Turkish (Windows)'),
  'windows-1257': t('Baltic (Windows)'),
  'windows-1255': t('Hebrew (Windows)'),
  'windows-1256': t('Arabic (Windows)'),
  'iso-8859-2': t('Central European (ISO)'),
  ibm866: t('Cyrillic (DOS)'),
  macintosh: t('Western European (Mac)'),
  shift_jis: t('Japanese'),
  gb18030: t('Chinese, simplified'),
  big5: t('Chinese, traditional'),
  'euc-kr': t('Korean'),
};

export const NOT_UTF8 = t('The file is not UTF-8. Save it as "CSV UTF-8", or choose its encoding.');

/** Asks for the encoding of a file that is not UTF-8. The value is empty until one is selected. */
export function EncodingSelect({ value, onChange }: { value: string; onChange: (encoding: string) => void }) {
  return (
    <Select
      label={t('Encoding of the file')}
      hint={t('Check names with special characters below before you continue.')}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{t('Choose…')}</option>
      {Object.entries(ENCODINGS).map(([encoding, name]) => (
        <option key={encoding} value={encoding}>
          {name}
        </option>
      ))}
    </Select>
  );
}
