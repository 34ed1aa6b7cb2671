import type { Normaliser } from '../normaliser.ts';
import {
  apiGatewayDomainName,
  apiGatewayV2DomainName,
} from './serverless/api-gateway-domain-name.ts';
import { apiGatewayMethod } from './serverless/api-gateway-method.ts';
import { apiGatewayRestApi } from './serverless/api-gateway-rest-api.ts';
import { apiGatewayStage } from './serverless/api-gateway-stage.ts';
import { apiGatewayV2Stage } from './serverless/api-gateway-v2-stage.ts';
import { lambdaFunction } from './serverless/lambda-function.ts';
import { lambdaPermission } from './serverless/lambda-permission.ts';
import { lambdaUrl } from './serverless/lambda-url.ts';

export const serverless: readonly Normaliser[] = [
  lambdaFunction,
  lambdaPermission,
  lambdaUrl,
  apiGatewayDomainName,
  apiGatewayMethod,
  apiGatewayRestApi,
  apiGatewayStage,
  apiGatewayV2DomainName,
  apiGatewayV2Stage,
];
