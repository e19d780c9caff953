import { Select } from './field.tsx';

/** Encodings of files from spreadsheets and banks, except UTF-8. */
const ENCODINGS = {
  'windows-1252': 'Western European (Windows)',
  'windows-1250': 'Central European (Windows)',
  'windows-1251': 'Cyrillic (Windows)',
  'windows-1253': 'Greek (Windows)',
  'windows-1254': 'Turkish (Windows)',
  'windows-1257': 'Baltic (Windows)',
  'windows-1255': 'Hebrew (Windows)',
  'windows-1256': 'Arabic (Windows)',
  'iso-8859-2': 'Central European (ISO)',
  ibm866: 'Cyrillic (DOS)',
  macintosh: 'Western European (Mac)',
  shift_jis: 'Japanese',
  gb18030: 'Chinese, simplified',
  big5: 'Chinese, traditional',
  'euc-kr': 'Korean',
};

export const NOT_UTF8 = 'The file is not UTF-8. Save it as "CSV UTF-8", or choose its encoding.';

/** Asks for the encoding of a file that is not UTF-8. The value is empty until one is selected. */
export function EncodingSelect({ value, onChange }: { value: string; onChange: (encoding: string) => void }) {
  return (
    <Select
      label="Encoding of the file"
      hint="Check names with special characters below before you continue."
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">Choose…</option>
      {Object.entries(ENCODINGS).map(([encoding, name]) => (
        <option key={encoding} value={encoding}>
          {name}
        </option>
      ))}
    </Select>
  );
}
