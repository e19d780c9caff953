import { useState } from 'react';
import { t } from '../../language/texts.ts';
import { setSingleKeys, singleKeys } from '../../shell/shortcuts.ts';
import { chooseTheme, type Theme, useTheme } from '../../shell/theme.ts';
import { Checkbox, Select } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';

/** Colours and shortcuts, which are stored in this browser. */
export function Appearance() {
  const theme = useTheme();
  const [keys, setKeys] = useState(singleKeys);
  return (
    <Card title={t('Appearance and keyboard')}>
      <div className="fields-2">
        <Select
          label={t('Colours')}
          value={theme}
          onChange={({ target }) => chooseTheme(target.value as Theme)}
          hint={t('For this browser.')}
        >
          <option value="system">{t('Like the system')}</option>
          <option value="light">{t('Light')}</option>
          <option value="dark">{t('Dark')}</option>
        </Select>
      </div>
      <Checkbox
        label={t('Use keys without Ctrl as shortcuts')}
        hint={t('Press ? for the list.')}
        checked={keys}
        onChange={({ target }) => {
          setSingleKeys(target.checked);
          setKeys(target.checked);
        }}
      />
    </Card>
  );
}
