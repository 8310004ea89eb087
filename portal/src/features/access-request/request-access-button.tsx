import { useNavigate } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useFeature } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { accessRequestAddress, accessRequestFeature } from './feature.ts';

/** The button that opens the access request form, shown while the feature is on (ACC-006). */
export function RequestAccessButton() {
  const navigate = useNavigate();
  const { data: isOn } = useFeature(accessRequestFeature);
  return isOn === true ? <Button onClick={() => void navigate(accessRequestAddress)}>{en.auth.requestAccess}</Button> : null;
}
