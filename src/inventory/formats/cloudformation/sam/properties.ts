/** Properties by what a SAM resource deploys. */
type Names = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * What SAM calls otherwise than CloudFormation, of the properties that policies name ("AWS SAM resources and properties",
 * AWS SAM Developer Guide): by SAM's type and the type that it deploys.
 */
const names: Readonly<Record<string, Names>> = {
  'AWS::Serverless::Api': {
    'AWS::ApiGateway::DomainName': {
      'EndpointConfiguration.Types': 'Domain.EndpointConfiguration',
      SecurityPolicy: 'Domain.SecurityPolicy',
    },
    'AWS::ApiGateway::RestApi': { 'EndpointConfiguration.Types': 'EndpointConfiguration.Type' },
  },
  'AWS::Serverless::Function': {
    'AWS::ApiGateway::Method': { AuthorizationType: 'Auth.Authorizer' },
    'AWS::ApiGatewayV2::Route': { AuthorizationType: 'Auth.Authorizer' },
    'AWS::Lambda::Function': { 'DeadLetterConfig.TargetArn': 'DeadLetterQueue.TargetArn' },
    'AWS::Lambda::Url': { AuthType: 'FunctionUrlConfig.AuthType' },
  },
  'AWS::Serverless::HttpApi': {
    'AWS::ApiGatewayV2::DomainName': { SecurityPolicy: 'Domain.SecurityPolicy' },
  },
};

const own = <T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;

/** How a SAM resource calls a property of what it deploys; undefined where it is called as CloudFormation does. */
export const samProperty = (
  samType: string,
  deployedType: string,
  property: string,
): string | undefined => own(own(own(names, samType), deployedType), property);
