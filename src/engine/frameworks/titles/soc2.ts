/** Our own words; see test/compliance. */
export const soc2Titles = `
CC1.1 Demonstrate integrity and ethical values
CC1.2 Provide independent board oversight of controls
CC1.3 Define structures, reporting lines and authorities
CC1.4 Hire, train and retain competent people
CC1.5 Hold people accountable for controls
CC2.1 Use reliable information to operate controls
CC2.2 Communicate control information internally
CC2.3 Communicate control information externally
CC3.1 Define objectives clearly enough to assess risks
CC3.2 Identify and analyze risks
CC3.3 Assess fraud risks
CC3.4 Assess changes that affect controls
CC4.1 Evaluate controls regularly
CC4.2 Report control deficiencies promptly
CC5.1 Select controls that mitigate risks
CC5.2 Select general technology controls
CC5.3 Implement controls in policies and procedures
CC6.1 Restrict logical access to systems and data
CC6.2 Register users, and remove access that is no longer needed
CC6.3 Manage access by role and least privilege
CC6.4 Restrict physical access to facilities and media
CC6.5 Remove data from assets before disposal
CC6.6 Protect system boundaries from external threats
CC6.7 Protect data in transit and on removable media
CC6.8 Prevent and detect unauthorized or malicious software
CC7.1 Detect vulnerabilities and risky configuration changes
CC7.2 Monitor systems for anomalies
CC7.3 Evaluate security events
CC7.4 Respond to security incidents
CC7.5 Recover from security incidents
CC8.1 Approve, test and document changes
CC9.1 Mitigate the risk of business disruption
CC9.2 Manage vendor and partner risks
A1.1 Monitor and manage capacity
A1.2 Maintain backups, recovery and environmental protection
A1.3 Test recovery plans
C1.1 Identify and protect confidential information
C1.2 Dispose of confidential information
PI1.1 Define processing requirements
PI1.2 Validate inputs
PI1.3 Process data completely and accurately
PI1.4 Deliver output completely, accurately and on time
PI1.5 Store data completely and accurately
P1.1 Provide privacy notices
P2.1 Offer privacy choices, and obtain consent
P3.1 Collect only necessary personal information
P3.2 Obtain explicit consent where required
P4.1 Use personal information only for its stated purposes
P4.2 Limit the retention of personal information
P4.3 Dispose of personal information securely
P5.1 Give people access to their personal information
P5.2 Correct personal information on request
P6.1 Disclose personal information only with consent
P6.2 Record authorized disclosures
P6.3 Record unauthorized disclosures
P6.4 Obtain privacy commitments from vendors
P6.5 Require vendors to report unauthorized disclosures
P6.6 Notify affected people of breaches
P6.7 Account for disclosures on request
P7.1 Keep personal information accurate and complete
P8.1 Handle privacy complaints, and monitor compliance
`;
