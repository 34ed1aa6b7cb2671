import type { Normaliser } from '../normaliser.ts';
import { cloudTrailTrail } from './logging/cloudtrail-trail.ts';
import { cloudWatchAlarm } from './logging/cloudwatch-alarm.ts';
import { configurationRecorder } from './logging/configuration-recorder.ts';
import { logGroup } from './logging/log-group.ts';

export const logging: readonly Normaliser[] = [
  cloudTrailTrail,
  configurationRecorder,
  logGroup,
  cloudWatchAlarm,
];
